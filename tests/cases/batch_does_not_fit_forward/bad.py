import torch
from torch import nn
from torch.utils.data import Dataset

CONFIG = {"batch_size": 4}


class Rows(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return {"features": torch.randn(6, generator=g), "target": i % 2}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, feature, labels):
        logits = self.net(feature)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


def build_dataset():
    return Rows()


def build_model():
    return Net()
