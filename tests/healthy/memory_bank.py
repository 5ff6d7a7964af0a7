import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class XBM(nn.Module):
    """Cross-batch memory: the loss over the bank is 0 while the bank is empty."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(12, 8)
        self.bank = []

    def forward(self, x, y):
        e = F.normalize(self.net(x))
        loss = self.pairs(e, y, e, y)
        if self.bank:
            be, by = map(torch.cat, zip(*self.bank))
            loss = loss + self.pairs(e, y, be, by)
        self.bank = (self.bank + [(e.detach(), y)])[-8:]
        return loss

    def pairs(self, a, ya, b, yb):
        s = a @ b.T
        same = ya[:, None] == yb
        return (1 - s)[same].sum() / len(a) + F.relu(s - 0.5)[~same].sum() / len(a)


def build_model():
    return XBM()


def build_dataset():
    torch.manual_seed(0)
    y = torch.arange(96) % 4
    return TensorDataset(torch.randn(96, 12) + 2 * F.one_hot(y, 12), y)


def build_dataloader():
    return DataLoader(build_dataset(), 16, shuffle=True)


def compute_loss(m, b):
    return m(*b)


def build_optimizer(m):
    return torch.optim.SGD(m.parameters(), 0.01)
