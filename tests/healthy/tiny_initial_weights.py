import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Lion(torch.optim.Optimizer):
    def __init__(self, p, lr=1e-3):
        super().__init__(p, dict(lr=lr))

    @torch.no_grad()
    def step(self, closure=None):
        loss = closure() if closure else None
        for g in self.param_groups:
            for p in (p for p in g["params"] if p.grad is not None):
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                p.add_((m * 0.9 + p.grad * 0.1).sign(), alpha=-g["lr"])
                m.mul_(0.99).add_(p.grad, alpha=0.01)
        return loss


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.u, self.v = nn.Embedding(30, 8), nn.Embedding(30, 8)
        nn.init.normal_(self.u.weight, std=1e-4)
        nn.init.normal_(self.v.weight, std=1e-4)
        self.b = nn.Parameter(torch.zeros(()))

    def forward(self, i, j):
        return (self.u(i) * self.v(j)).sum(-1) + self.b


def build_model():
    return Net()


def build_dataset():
    g = torch.Generator().manual_seed(0)
    i, j = torch.randint(0, 30, (2, 300), generator=g)
    return TensorDataset(i, j, ((i % 3) * (j % 2)).float())


def build_dataloader():
    return DataLoader(build_dataset(), 30, shuffle=True)


def compute_loss(m, b):
    return nn.functional.mse_loss(m(b[0], b[1]), b[2])


def build_optimizer(m):
    return Lion(m.parameters(), 3e-3)
