import lightning
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset


class Classifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.first = nn.Linear(8, 16)
        self.second = nn.Linear(16, 2)

    def training_step(self, batch, batch_idx):
        x, y = batch
        first, second = self.optimizers()
        loss = cross_entropy(self.second(self.first(x).relu()), y)
        first.zero_grad()
        second.zero_grad()
        self.manual_backward(loss)
        first.step()
        second.step()
        return loss

    def configure_optimizers(self):
        return (
            torch.optim.Adam(self.first.parameters(), lr=1e-2),
            torch.optim.SGD(self.second.parameters(), lr=1e-2),
        )


def build_model():
    return Classifier()


def build_dataloader():
    x = torch.randn(64, 8, generator=torch.Generator().manual_seed(0))
    return DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=16, shuffle=True)
