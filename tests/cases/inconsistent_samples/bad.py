import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

CONFIG = {"batch_size": 4}


def build_model():
    return nn.Sequential(
        nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2)
    )


def build_loss():
    return nn.CrossEntropyLoss()


class Scans(Dataset):
    def __len__(self):
        return 20

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        image = torch.rand(1 if i in (9, 15) else 3, 10, 10, generator=g)
        return image, i % 2


def build_dataset():
    return Scans()
