import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Sampler, TensorDataset


class Balanced(Sampler):
    def __init__(self, y):
        self.y = y

    def __iter__(self):
        idx = [(self.y == c).nonzero().flatten().tolist() for c in self.y.unique()]
        for _ in range(len(self.y)):
            yield random.choice(random.choice(idx))

    def __len__(self):
        return len(self.y)


def build_dataset():
    torch.manual_seed(0)
    y = torch.cat([torch.zeros(250), torch.ones(6)]).long()
    return TensorDataset(torch.randn(256, 6) + y[:, None], y)


def build_dataloader():
    d = build_dataset()
    return DataLoader(d, batch_size=16, sampler=Balanced(d.tensors[1]))


def build_model():
    return nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2))


def build_loss():
    return nn.CrossEntropyLoss()


def build_optimizer(m):
    return torch.optim.Adam(m.parameters(), 1e-2)
