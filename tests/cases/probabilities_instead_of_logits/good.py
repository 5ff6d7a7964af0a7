import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}


def build_dataset():
    g = torch.Generator().manual_seed(0)
    return TensorDataset(
        torch.randn(24, 6, generator=g), torch.randint(0, 2, (24, 3), generator=g).float()
    )


def build_loss():
    return nn.BCEWithLogitsLoss()


def build_model():
    return nn.Sequential(nn.Linear(6, 8), nn.Sigmoid(), nn.Linear(8, 3))
