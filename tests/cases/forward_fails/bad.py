import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}


def build_dataset():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(24, 6, generator=g)
    return TensorDataset(x, (x[:, 0] > 0).long())


def build_loss():
    return nn.CrossEntropyLoss()


class Fixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(6, 2)

    def forward(self, x):
        if x.abs().max() > self.limit:
            raise ValueError(f"value {x.abs().max():.1f} is above {self.limit}")
        return self.out(x)


def build_model():
    model = Fixed()
    model.limit = 2.5
    return model
