import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class W(nn.Module):
    def __init__(self):
        super().__init__()
        self.G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 6))
        self.C = nn.Sequential(nn.Linear(6, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))


def build_model():
    return W()


def build_dataloader():
    return DataLoader(TensorDataset(torch.randn(128, 6) * 0.5 + 1), 16, shuffle=True)


def build_optimizer(m):
    return [
        torch.optim.Adam(m.C.parameters(), 1e-4, (0.0, 0.9)),
        torch.optim.Adam(m.G.parameters(), 1e-4, (0.0, 0.9)),
    ]


step = 0


def train_step(model, batch, optimizer, state):
    global step
    oc, og = optimizer
    (x,) = batch
    fake = model.G(torch.randn(len(x), 4)).detach()
    eps = torch.rand(len(x), 1)
    mix = (eps * x + (1 - eps) * fake).requires_grad_(True)
    (grad,) = torch.autograd.grad(model.C(mix).sum(), mix, create_graph=True)
    gp = ((grad.norm(2, dim=1) - 1) ** 2).mean()
    loss = model.C(fake).mean() - model.C(x).mean() + 10 * gp
    oc.zero_grad()
    loss.backward()
    oc.step()
    step += 1
    if step % 5 == 0:
        og.zero_grad()
        (-model.C(model.G(torch.randn(len(x), 4))).mean()).backward()
        og.step()
    return loss
