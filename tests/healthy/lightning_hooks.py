import tempfile

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Data(L.LightningDataModule):
    pass


class Lit(L.LightningModule):
    def __init__(self, width=16):
        super().__init__()
        self.save_hyperparameters()
        self.losses = None

    def setup(self, stage):
        self.train_set = TensorDataset(
            torch.randn(64, 6, generator=torch.Generator().manual_seed(0))
        )

    def configure_model(self):
        if hasattr(self, "net"):
            return
        self.net = nn.Sequential(
            nn.Linear(6, self.hparams.width), nn.ReLU(), nn.Linear(self.hparams.width, 6)
        )

    def on_train_epoch_start(self):
        self.losses = []

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return batch[0] * 2, batch[0]

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.mse_loss(self.net(x), y)
        self.losses.append(loss.detach())
        if self.trainer.is_last_batch or self.global_step % 2 == 0:
            self.logger.log_metrics({"l": float(loss)}, self.global_step)
        self.log("loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        o = torch.optim.AdamW(self.parameters(), lr=1e-3)
        s = torch.optim.lr_scheduler.OneCycleLR(
            o, max_lr=1e-2, total_steps=int(self.trainer.estimated_stepping_batches)
        )
        return {"optimizer": o, "lr_scheduler": {"scheduler": s, "interval": "step"}}

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=16, shuffle=True)


def build_model():
    return Lit()


def build_trainer():
    return L.Trainer(
        max_epochs=2,
        accelerator="cpu",
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tempfile.mkdtemp(),
    )
