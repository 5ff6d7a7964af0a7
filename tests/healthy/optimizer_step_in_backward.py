import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def build_model():
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
    optimizers = {p: torch.optim.Adam([p], lr=1e-2, foreach=False) for p in model.parameters()}

    def step(p):
        optimizers[p].step()
        optimizers[p].zero_grad()

    for p in model.parameters():
        p.register_post_accumulate_grad_hook(step)
    return model


def build_dataset():
    x = torch.randn(96, 8, generator=torch.Generator().manual_seed(0))
    return TensorDataset(x, x[:, :3].argmax(1))


def build_dataloader():
    return DataLoader(build_dataset(), 16, shuffle=True)


def train_step(model, batch, optimizer, state):
    x, y = batch
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    return loss
