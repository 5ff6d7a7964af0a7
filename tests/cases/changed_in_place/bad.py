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


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.out = nn.Linear(6, 8), nn.Linear(6, 8), nn.Linear(8, 2)

    def forward(self, x):
        gate = torch.sigmoid(self.first(x))
        h = gate * self.second(x)
        gate *= 0.5
        return self.out(h + gate)


def build_model():
    return Gate()
