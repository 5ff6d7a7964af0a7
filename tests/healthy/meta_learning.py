import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call
from torch.utils.data import DataLoader, Dataset


class Tasks(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        a, p = torch.rand(2, generator=g)
        x = torch.rand(20, 1, generator=g) * 6 - 3
        return x, (a + 0.5) * torch.sin(x + 3 * p)


def build_dataset():
    return Tasks()


def build_dataloader():
    return DataLoader(Tasks(), 4, shuffle=True)


def build_model():
    return nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))


def compute_loss(model, batch):
    total = 0
    for x, y in zip(*batch):
        w = dict(model.named_parameters())
        inner = F.mse_loss(functional_call(model, w, x[:10]), y[:10])
        grads = torch.autograd.grad(inner, list(w.values()), create_graph=True)
        fast = {k: v - 0.05 * g for (k, v), g in zip(w.items(), grads)}
        total = total + F.mse_loss(functional_call(model, fast, x[10:]), y[10:])
    return total / len(batch[0])


def build_optimizer(m):
    return torch.optim.Adam(m.parameters(), 1e-2)
