import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

CONFIG = {"batch_size": 8}


def table(rows=48):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(rows, 6, generator=g)
    return x, (x[:, 0] > 0).long()


class Days(Dataset):
    def __init__(self):
        self.x, self.y = table()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        weather = torch.zeros(6)
        return {"x": self.x[i], "weather": weather, "y": self.y[i]}


def build_dataset():
    return Days()


def build_model():
    return nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 2))


def compute_loss(model, batch):
    x = torch.cat([batch["x"], batch["weather"]], 1)
    return nn.functional.cross_entropy(model(x), batch["y"])
