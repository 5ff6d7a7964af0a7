import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Block(nn.Module):
    def __init__(self, d, init):
        super().__init__()
        self.f = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))
        self.gamma = nn.Parameter(init * torch.ones(d))

    def forward(self, x):
        return x + self.gamma * self.f(x)


def build_model():
    return nn.Sequential(
        nn.Linear(8, 32), Block(32, 0.0), Block(32, 1e-6), Block(32, 0.0), nn.Linear(32, 3)
    )


def build_dataset():
    torch.manual_seed(0)
    x = torch.randn(96, 8)
    return TensorDataset(x, x[:, :3].argmax(1))


def build_dataloader():
    return DataLoader(build_dataset(), 24, shuffle=True)


def build_loss():
    return nn.CrossEntropyLoss()


def build_optimizer(m):
    return torch.optim.AdamW(m.parameters(), 1e-3)
