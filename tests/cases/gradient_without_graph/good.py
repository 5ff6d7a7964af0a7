import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 16}


def build_dataset():
    return TensorDataset(torch.linspace(0, 1, 64)[:, None])


def build_model():
    return nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))


def compute_loss(model, batch):
    x = batch[0].requires_grad_()
    slope = torch.autograd.grad(model(x).sum(), x, create_graph=True)[0]
    equation = (slope - torch.cos(x)).square().mean()
    boundary = model(torch.zeros(1, 1)).square().mean()
    return equation + boundary
