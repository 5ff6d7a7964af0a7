import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}


def build_dataset():
    g = torch.Generator().manual_seed(0)
    counts = torch.randint(0, 9, (24, 6), generator=g).float()
    return TensorDataset(counts, (counts[:, 0] > 4).long())


def build_loss():
    return nn.CrossEntropyLoss()


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(6, 2)

    def forward(self, counts):
        return self.out(counts.log())


def build_model():
    return Counts()
