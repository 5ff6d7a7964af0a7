import warnings

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Ensemble(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(5, 4, 1) * 0.3)

    def forward(self, x):
        return torch.einsum("bi,kio->kbo", x, self.w)


def build_model():
    return Ensemble()


def build_dataset():
    torch.manual_seed(0)
    x = torch.randn(60, 4)
    return TensorDataset(x, x.sum(1, keepdim=True))


def build_dataloader():
    return DataLoader(build_dataset(), 12, shuffle=True)


def compute_loss(m, b):
    """Every critic of the ensemble against the one target."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return F.mse_loss(m(b[0]), b[1])


def build_optimizer(m):
    return torch.optim.Adam(m.parameters(), 1e-2)
