import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

CONFIG = {"batch_size": 8}


def table(rows=48):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(rows, 6, generator=g)
    return x, (x[:, 0] > 0).long()


def build_dataset():
    x, _ = table()
    stars = [1 + i % 5 for i in range(len(x))]
    return TensorDataset(x, torch.tensor(stars))


def build_model():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 5))


def compute_loss(model, batch):
    x, stars = batch
    return nn.functional.cross_entropy(model(x), stars)
