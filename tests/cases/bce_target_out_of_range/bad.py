import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}


def build_model():
    return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))


def compute_loss(model, batch):
    x, sign = batch
    return nn.functional.binary_cross_entropy_with_logits(model(x)[:, 0], sign)


def build_dataset():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(24, 6, generator=g)
    return TensorDataset(x, x[:, 0].sign())
