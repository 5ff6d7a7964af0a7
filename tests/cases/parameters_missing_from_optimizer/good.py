import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}


def build_dataset():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(24, 6, generator=g)
    return TensorDataset(x, (x[:, 0] > 0).long())


def build_loss():
    return nn.CrossEntropyLoss()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(6, 8), nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x).relu())


def build_model():
    return Net()


def build_optimizer(model):
    head = {"params": model.head.parameters(), "lr": 1e-2}
    return torch.optim.Adam([{"params": model.body.parameters()}, head], lr=1e-3)
