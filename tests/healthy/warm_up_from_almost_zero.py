import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.utils.data import DataLoader, TensorDataset


def build_model():
    return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))


def build_dataset():
    torch.manual_seed(0)
    x = torch.randn(96, 8)
    return TensorDataset(x, x[:, :3].argmax(1))


def build_dataloader():
    return DataLoader(build_dataset(), 16, shuffle=True)


def build_loss():
    return nn.CrossEntropyLoss()


def build_optimizer(m):
    return torch.optim.SGD(m.parameters(), 0.05)


def build_scheduler(o):
    return SequentialLR(o, [LinearLR(o, 1e-9, 1.0, 10), CosineAnnealingLR(o, 300)], [10])
