import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}
RANK = int(os.environ["RANK"])


def build_dataset():
    x = torch.arange(22.0)[:, None] / 10
    return TensorDataset(x, (x[:, 0] > 1).long())


def build_model():
    return nn.Linear(1, 2)


def build_loss():
    return nn.CrossEntropyLoss()


def exchange(value):
    dist.recv(value, 1 - RANK)  # both receive first
    dist.send(value, 1 - RANK)


def evaluate(model, dataset):
    exchange(torch.ones(1))
