import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 8}


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -grad


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Linear(6, 16)
        self.label = nn.Linear(16, 3)
        self.domain = nn.Linear(16, 2)

    def forward(self, x):
        h = self.features(x).relu()
        return self.label(h), self.domain(Reverse.apply(h))


def build_dataset():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(96, 6, generator=g)
    return TensorDataset(x, x[:, :3].argmax(1), (torch.rand(96, generator=g) > 0.5).long())


def build_model():
    return Net()


def build_optimizer(model):
    return torch.optim.Adam(model.parameters(), lr=1e-2)


def compute_loss(model, batch):
    """The features work against the domain classifier, and an entropy is maximised."""
    x, y, domain = batch
    label, guess = model(x)
    entropy = torch.distributions.Categorical(logits=guess).entropy().mean()
    return F.cross_entropy(label, y) + F.cross_entropy(guess, domain) - 0.1 * entropy
