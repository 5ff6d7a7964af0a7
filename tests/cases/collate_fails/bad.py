import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

CONFIG = {"batch_size": 8}


def table(rows=48):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(rows, 6, generator=g)
    return x, (x[:, 0] > 0).long()


class Rows(Dataset):
    def __init__(self):
        self.x, self.y = table()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"x": self.x[i], "y": self.y[i], "source": None if i == 17 else "a/b.csv"}


def collate(samples):
    folders = [s["source"].split("/")[0] for s in samples]
    x, y = torch.stack([s["x"] for s in samples]), torch.stack([s["y"] for s in samples])
    return {"x": x, "y": y, "folders": folders}


def build_dataset():
    return Rows()


def build_collate_fn():
    return collate


def build_model():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))


def compute_loss(model, batch):
    return nn.functional.cross_entropy(model(batch["x"]), batch["y"])
