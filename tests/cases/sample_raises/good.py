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
        self.names = {i: f"row_{i}" for i in range(48) if i != 20}

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        assert self.names.get(i, "row").startswith("row")
        return self.x[i], self.y[i]


def build_dataset():
    return Rows()


def build_model():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))


def build_loss():
    return nn.CrossEntropyLoss()
