import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}


def build_dataset():
    """Prices in cents."""
    g = torch.Generator().manual_seed(0)
    x = torch.randn(32, 6, generator=g)
    return TensorDataset(x, 20_000 + 4_000 * x[:, :1])


def build_model():
    return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))


def build_loss():
    return nn.MSELoss()


def build_optimizer(model):
    return torch.optim.Adam(model.parameters(), lr=1e-2)
