import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}


def build_dataset():
    g = torch.Generator().manual_seed(0)
    prices = torch.rand(24, 6, generator=g) * 400_000
    return TensorDataset(prices, (prices[:, 0] > 200_000).long())


def build_loss():
    return nn.CrossEntropyLoss()


class Prices(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(6, 8)
        self.norm = nn.LayerNorm(8)
        self.out = nn.Linear(8, 2)

    def forward(self, prices):
        return self.out(self.norm(self.mix(prices / 100_000)))


def build_model():
    return Prices()
