import torch
from torch import nn
from torch.utils.data import Dataset

CONFIG = {"batch_size": 4}
CITIES = 12


class Trips(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return {"city": 1 + i % CITIES, "x": torch.randn(5, generator=g), "price": float(i % 7)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.city = nn.Embedding(CITIES + 1, 4)
        self.out = nn.Linear(9, 1)

    def forward(self, city, x):
        return self.out(torch.cat([self.city(city), x], 1))[:, 0]


def build_dataset():
    return Trips()


def build_model():
    return Net()


def compute_loss(model, batch):
    return nn.functional.mse_loss(model(batch["city"], batch["x"]), batch["price"].float())
