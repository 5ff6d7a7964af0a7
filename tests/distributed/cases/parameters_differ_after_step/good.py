import os

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}
WORLD = int(os.environ["WORLD_SIZE"])


def build_dataset():
    x = torch.arange(22.0)[:, None] / 10
    return TensorDataset(x, (x[:, 0] > 1).long())


def build_model():
    return DistributedDataParallel(nn.Linear(1, 2))


def build_loss():
    return nn.CrossEntropyLoss()


def build_optimizer(model):
    return torch.optim.SGD(model.parameters(), lr=0.1 * WORLD)
