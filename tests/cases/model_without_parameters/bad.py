import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

CONFIG = {"batch_size": 8}


def table(rows=48):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(rows, 6, generator=g)
    return x, (x[:, 0] > 0).long()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(6, 16), nn.Linear(16, 2)]

    def forward(self, x):
        return self.layers[1](self.layers[0](x).relu())


def build_dataset():
    return TensorDataset(*table())


def build_model():
    return Net()


def build_optimizer(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)


def build_loss():
    return nn.CrossEntropyLoss()
