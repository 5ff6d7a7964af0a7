import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ACC = 4


def build_dataset():
    torch.manual_seed(0)
    x = torch.randn(128, 10)
    return TensorDataset(x, x.sum(1))


def build_dataloader():
    return DataLoader(build_dataset(), batch_size=4, shuffle=True)


def build_model():
    return nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1), nn.Flatten(0))


def build_optimizer(m):
    return torch.optim.Adam(m.parameters(), 1e-2)


counter = {"i": 0}


def train_step(model, batch, optimizer, state):
    x, y = batch
    loss = nn.functional.smooth_l1_loss(model(x), y) / ACC
    loss.backward()
    counter["i"] += 1
    if counter["i"] % ACC == 0:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return loss.detach() * ACC
