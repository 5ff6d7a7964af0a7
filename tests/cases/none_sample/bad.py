import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

CONFIG = {"batch_size": 8}


def table(rows=48):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(rows, 6, generator=g)
    return x, (x[:, 0] > 0).long()


class Rows(Dataset):
    def __init__(self):
        self.x, self.y = table()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        if i % 11 != 5:
            return self.x[i], self.y[i]
        return None


def build_dataset():
    return Rows()


def collate(samples):
    x, y = zip(*samples)
    return torch.stack(x), torch.stack(y)


def build_collate_fn():
    return collate


def build_model():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))


def build_loss():
    return nn.CrossEntropyLoss()
