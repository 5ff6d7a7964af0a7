import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

CONFIG = {"batch_size": 8}


def table(rows=60):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(rows, 6, generator=g)
    return x, (x[:, 0] > 0).long()


def build_dataset():
    x, _ = table()
    return TensorDataset(x, torch.arange(60) // 20)


def build_dataloader():
    return DataLoader(build_dataset(), batch_size=6, shuffle=False)


def build_model():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))


def build_loss():
    return nn.CrossEntropyLoss()
