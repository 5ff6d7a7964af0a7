import itertools

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ArcFace(nn.Module):
    def __init__(self, d=8, n=5, s=16.0, m=0.3):
        super().__init__()
        self.W = nn.Parameter(torch.randn(n, d))
        self.s, self.m = s, m

    def forward(self, e, y):
        cos = F.normalize(e) @ F.normalize(self.W).T
        theta = torch.acos(cos.clamp(-1 + 1e-6, 1 - 1e-6))
        return F.cross_entropy(
            self.s * torch.where(F.one_hot(y, len(self.W)).bool(), torch.cos(theta + self.m), cos),
            y,
        )


torch.manual_seed(5)
criterion = ArcFace()


def build_model():
    return nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8))


def build_dataset():
    torch.manual_seed(0)
    y = torch.arange(80) % 5
    return TensorDataset(torch.randn(80, 10) + 2 * F.one_hot(y, 10), y)


def build_dataloader():
    return DataLoader(build_dataset(), 16, shuffle=True)


def compute_loss(m, b):
    return criterion(m(b[0]), b[1])


def build_optimizer(m):
    return torch.optim.Adam(itertools.chain(m.parameters(), criterion.parameters()), 1e-3)
