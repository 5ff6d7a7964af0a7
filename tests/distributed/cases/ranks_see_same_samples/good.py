import os

import torch
from torch import nn
from torch.utils.data import DataLoader, SubsetRandomSampler, TensorDataset

CONFIG = {"batch_size": 4}
RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


def build_dataset():
    x = torch.arange(22.0)[:, None] / 10
    return TensorDataset(x, (x[:, 0] > 1).long())


def build_model():
    return nn.Linear(1, 2)


def build_loss():
    return nn.CrossEntropyLoss()


def build_dataloader():
    dataset = build_dataset()
    mine = torch.arange(RANK, len(dataset), WORLD).tolist()
    return DataLoader(dataset, batch_size=4, sampler=SubsetRandomSampler(mine))
