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


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(6, 2)

    def forward(self, x):
        return Scale.apply(self.out(x), 0.5)


def build_model():
    return Net()
