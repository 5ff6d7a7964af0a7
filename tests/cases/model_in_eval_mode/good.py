import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}


def build_dataset():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(24, 6, generator=g)
    return TensorDataset(x, (x[:, 0] > 0).long())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2))
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        return self.head(self.body(x))


def build_model():
    return Net()


def accuracy(model, batch):
    model.eval()
    x, y = batch
    with torch.no_grad():
        right = (model(x).argmax(1) == y).float().mean()
    model.train()
    return right


def compute_loss(model, batch):
    x, y = batch
    accuracy(model, batch)
    return nn.functional.cross_entropy(model(x), y)
