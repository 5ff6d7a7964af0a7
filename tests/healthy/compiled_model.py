import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def build_model():
    return torch.compile(
        nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 3)), backend="eager"
    )


def build_dataset():
    torch.manual_seed(0)
    x = torch.randn(64, 6)
    return TensorDataset(x, x[:, :3].argmax(1))


def build_dataloader():
    return DataLoader(build_dataset(), batch_size=16, shuffle=True)


def build_loss():
    return nn.CrossEntropyLoss()


def build_optimizer(m):
    return torch.optim.Adam(m.parameters(), 1e-2)
