import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def full():
    g = torch.Generator().manual_seed(0)
    x = torch.randint(0, 2, (600, 8), generator=g).float()
    return random_split(
        TensorDataset(x, (x.sum(1) % 2).long()),
        [500, 100],
        generator=torch.Generator().manual_seed(0),
    )


def build_dataset():
    return full()[0]


def build_eval_dataset():
    return full()[1]


def build_dataloader():
    return DataLoader(build_dataset(), 50, shuffle=True)


def build_model():
    return nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))


def build_loss():
    return nn.CrossEntropyLoss()


def build_optimizer(m):
    return torch.optim.Adam(m.parameters(), 1e-2)
