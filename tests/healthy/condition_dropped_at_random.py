import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Cond(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(4, 8)
        self.null_embedding = nn.Parameter(torch.randn(8) * 0.02)
        self.net = nn.Sequential(nn.Linear(17, 64), nn.SiLU(), nn.Linear(64, 8))

    def forward(self, x, t, c):
        e = self.emb(c)
        if self.training and torch.rand(()) < 0.1:
            e = self.null_embedding.expand_as(e)
        return self.net(torch.cat([x, t[:, None], e], -1))


def build_model():
    return Cond()


def build_dataset():
    torch.manual_seed(0)
    c = torch.arange(64) % 4
    return TensorDataset(torch.randn(64, 8) * 0.1 + c[:, None], c)


def build_dataloader():
    return DataLoader(build_dataset(), 16, shuffle=True)


def compute_loss(m, b):
    x, c = b
    t = torch.rand(len(x))
    n = torch.randn_like(x)
    return ((m(x * (1 - t[:, None]) + n * t[:, None], t, c) - (n - x)) ** 2).mean()


def build_optimizer(m):
    return torch.optim.Adam(m.parameters(), 1e-3)
