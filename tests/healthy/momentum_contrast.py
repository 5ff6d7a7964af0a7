import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class MoCo(nn.Module):
    def __init__(self, dim=16, K=64, m=0.99, T=0.2):
        super().__init__()
        self.m, self.T = m, T
        self.q = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, dim))
        self.k = copy.deepcopy(self.q)
        self.k.requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(dim, K), dim=0))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def update(self):
        for a, b in zip(self.q.parameters(), self.k.parameters()):
            b.data = b.data * self.m + a.data * (1 - self.m)

    @torch.no_grad()
    def enqueue(self, keys):
        p, n = int(self.ptr), len(keys)
        self.queue[:, p : p + n] = keys.T
        self.ptr[0] = (p + n) % self.queue.shape[1]

    def forward(self, a, b):
        q = F.normalize(self.q(a), dim=1)
        with torch.no_grad():
            self.update()
            k = F.normalize(self.k(b), dim=1)
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.queue.clone().detach()
        logits = torch.cat([pos, neg], 1) / self.T
        self.enqueue(k)
        return F.cross_entropy(logits, torch.zeros(len(logits), dtype=torch.long))


def build_model():
    return MoCo()


def build_dataloader():
    torch.manual_seed(0)
    x = torch.randn(128, 20)
    return DataLoader(
        TensorDataset(x + 0.05 * torch.randn_like(x), x + 0.05 * torch.randn_like(x)),
        batch_size=16,
        shuffle=True,
        drop_last=True,
    )


def build_optimizer(model):
    return torch.optim.SGD(model.parameters(), 0.03, momentum=0.9)


def compute_loss(model, batch):
    return model(*batch)
