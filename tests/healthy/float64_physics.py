import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class PINN(Dataset):
    def __init__(self):
        self.x = np.linspace(0, 3.14, 100)

    def __len__(self):
        return 100

    def __getitem__(self, i):
        return np.array([self.x[i]]), np.array([np.sin(self.x[i])])


def build_dataset():
    return PINN()


def build_dataloader():
    return DataLoader(PINN(), batch_size=25, shuffle=True)


def build_model():
    return nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)).double()


def build_loss():
    return nn.MSELoss()


def build_optimizer(m):
    return torch.optim.Adam(m.parameters(), 1e-2)
