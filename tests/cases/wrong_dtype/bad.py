import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

CONFIG = {"batch_size": 8}


def table(rows=48):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(rows, 6, generator=g)
    return x, (x[:, 0] > 0).long()


class Houses(Dataset):
    def __init__(self):
        frame = pd.DataFrame(table()[0].numpy(), columns=list("abcdef"))
        frame["f"] = [["flat", "house"][i % 2] for i in range(len(frame))]
        self.rows = frame.to_numpy()

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return torch.tensor(self.rows[i]), i % 2


def build_dataset():
    return Houses()


def build_model():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))


def build_loss():
    return nn.CrossEntropyLoss()
