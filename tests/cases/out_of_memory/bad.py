import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}


def build_dataset():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(24, 6, generator=g)
    return TensorDataset(x, (x[:, 0] > 0).long())


def build_loss():
    return nn.CrossEntropyLoss()


class Pairs(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(6, 2)

    def forward(self, x):
        grid = torch.zeros(SIDE, SIDE, SIDE)  # a table of all triples
        return self.out(x) + grid.sum()


def build_model():
    return Pairs()


SIDE = 60_000
