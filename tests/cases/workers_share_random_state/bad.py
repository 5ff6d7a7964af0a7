import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

CONFIG = {"batch_size": 8}


def table(rows=48):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(rows, 6, generator=g)
    return x, (x[:, 0] > 0).long()


class Jittered(Dataset):
    def __init__(self):
        self.x, self.y = table()
        self.rng = None

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        if self.rng is None:
            self.rng = np.random.default_rng(7)
        noise = torch.from_numpy(self.rng.normal(size=6).astype(np.float32))
        return {"x": self.x[i], "noise": noise, "y": self.y[i]}


def build_dataset():
    return Jittered()


def build_dataloader():
    return DataLoader(build_dataset(), batch_size=4, num_workers=2, shuffle=True)


def build_model():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))


def compute_loss(model, batch):
    return nn.functional.cross_entropy(model(batch["x"] + 0.1 * batch["noise"]), batch["y"])
