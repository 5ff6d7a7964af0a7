import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}


def build_dataset():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(16, 6, generator=g)
    x[5] = 0  # an empty record
    return TensorDataset(x, x.norm(dim=1))


class Length(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(6, 6, bias=False)

    def forward(self, x):
        return (self.mix(x).square().sum(1) + 1e-12).sqrt()


def build_model():
    return Length()


def build_loss():
    return nn.L1Loss()
