import tempfile

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class GAN(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.G = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 5))
        self.D = nn.Sequential(nn.Linear(5, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def training_step(self, batch):
        og, od = self.optimizers()
        (real,) = batch
        bce = nn.functional.binary_cross_entropy_with_logits
        self.toggle_optimizer(og)
        fake = self.G(torch.randn(len(real), 3, device=self.device))
        lg = bce(self.D(fake), torch.ones(len(real), 1, device=self.device))
        og.zero_grad()
        self.manual_backward(lg)
        og.step()
        self.untoggle_optimizer(og)
        self.toggle_optimizer(od)
        ld = bce(self.D(real), torch.ones(len(real), 1)) + bce(
            self.D(fake.detach()), torch.zeros(len(real), 1)
        )
        od.zero_grad()
        self.manual_backward(ld)
        od.step()
        self.untoggle_optimizer(od)
        self.log_dict({"g": lg, "d": ld})

    def configure_optimizers(self):
        return torch.optim.Adam(self.G.parameters(), 1e-3), torch.optim.Adam(
            self.D.parameters(), 1e-3
        )


def build_model():
    return GAN()


def build_dataloader():
    return DataLoader(
        TensorDataset(torch.randn(64, 5, generator=torch.Generator().manual_seed(0))),
        16,
        shuffle=True,
    )


def build_trainer():
    return pl.Trainer(
        max_epochs=1,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tempfile.mkdtemp(),
    )
