import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 8}


def build_dataset():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(64, 4, generator=g)
    return TensorDataset(x, 2 * x[:, :1] + 0.1 * torch.randn(64, 1, generator=g))


def build_model():
    return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))


def build_optimizer(model):
    return torch.optim.Adam(model.parameters(), lr=1e-2, maximize=True)


def compute_loss(model, batch):
    """The log likelihood, which is to be maximised."""
    x, y = batch
    mean, log_deviation = model(x).chunk(2, dim=-1)
    return torch.distributions.Normal(mean, log_deviation.exp()).log_prob(y).mean()
