import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}


def build_dataset():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(24, 6, generator=g)
    return TensorDataset(x, x[:, :2])


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, difference):
        ctx.save_for_backward(difference)
        return difference * difference

    @staticmethod
    def backward(ctx, grad):
        (difference,) = ctx.saved_tensors
        return -2 * difference * grad


def build_loss():
    return lambda output, target: Square.apply(target - output).mean()


def build_model():
    return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))


def build_optimizer(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)
