import numpy
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


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = numpy.linspace(0.5, 1.5, 6)
        self.out = nn.Linear(6, 2)

    def forward(self, x):
        scaled = x * torch.from_numpy(self.scale)
        return self.out(scaled)


def build_model():
    return Weighted()
