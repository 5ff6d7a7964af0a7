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


class Photos(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return torch.rand(10, 12, 3, generator=g), torch.tensor(i % 2)


def build_dataset():
    return Photos()


def compute_loss(model, batch):
    image, label = batch
    return nn.functional.cross_entropy(model(image), label)
