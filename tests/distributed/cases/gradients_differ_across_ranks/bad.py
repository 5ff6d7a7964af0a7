import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 4}


def build_dataset():
    x = torch.arange(22.0)[:, None] / 10
    return TensorDataset(x, (x[:, 0] > 1).long())


def build_model():
    return DistributedDataParallel(nn.Linear(1, 2))


def compute_loss(model, batch):
    x, y = batch
    return nn.functional.cross_entropy(model.module(x), y)  # around the wrapper
