import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}
RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


def build_dataset():
    x = torch.arange(22.0)[:, None] / 10
    return TensorDataset(x, (x[:, 0] > 1).long())


def build_model():
    return nn.Linear(1, 2)


def build_loss():
    return nn.CrossEntropyLoss()


def work_longer():
    time.sleep(2.0)


def evaluate(model, dataset):
    if RANK == 1:
        work_longer()
    dist.all_reduce(torch.ones(1))
