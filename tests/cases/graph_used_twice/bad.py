import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}


def build_dataset():
    t = torch.linspace(0, 20, 16 * 10).reshape(16, 10)
    return TensorDataset(t.sin()[..., None], (t + 0.3).sin()[..., None])


class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.LSTM(1, 8, batch_first=True), nn.Linear(8, 1)
        self.last = None

    def forward(self, x):
        y, (h, c) = self.cell(x, self.last)
        self.last = (h, c)
        return self.out(y)


def build_model():
    return Memory()


def build_loss():
    return nn.MSELoss()
