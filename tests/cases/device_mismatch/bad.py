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


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.shift = torch.zeros(6, device="meta")  # stands for a second device
        self.out = nn.Linear(6, 2)

    def forward(self, x):
        return self.out(x + self.shift)


def build_model():
    return Shifted()
