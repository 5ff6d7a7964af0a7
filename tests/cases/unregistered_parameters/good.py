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


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 8)
        self.heads = nn.ModuleDict({"a": nn.Linear(8, 2), "b": nn.Linear(8, 2)})

    def forward(self, x):
        return sum(self.heads[name](self.first(x).relu()) for name in ("a", "b"))


def build_model():
    return Experts()
