import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4, "precision": "fp16"}


def build_dataset():
    g = torch.Generator().manual_seed(0)
    counts = torch.rand(24, 6, generator=g) * 2_000
    return TensorDataset(counts, (counts[:, 0] > 1_000).long())


def build_loss():
    return nn.CrossEntropyLoss()


class RootMeanSquareNorm(nn.Module):
    def forward(self, x):
        wide = x.float()
        return x * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + 1e-6)


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(6, 8)
        self.norm = RootMeanSquareNorm()
        self.out = nn.Linear(8, 2)

    def forward(self, counts):
        return self.out(self.norm(self.mix(counts)))


def build_model():
    return Counts()
