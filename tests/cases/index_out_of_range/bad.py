import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}


def build_dataset():
    g = torch.Generator().manual_seed(0)
    steps = torch.randn(16, 7, 4, generator=g)
    return TensorDataset(steps, torch.arange(16) % 7 + 1, torch.arange(16) % 2)


class Last(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.out = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 2)

    def forward(self, steps, length):
        states, _ = self.rnn(steps)
        return self.out(states[torch.arange(len(steps)), length])


def build_model():
    return Last()


def compute_loss(model, batch):
    steps, length, y = batch
    return nn.functional.cross_entropy(model(steps, length), y)
