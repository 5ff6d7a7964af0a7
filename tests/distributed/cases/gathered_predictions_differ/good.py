import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

CONFIG = {"batch_size": 4}
RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])


def build_dataset():
    x = torch.arange(22.0)[:, None] / 10
    return TensorDataset(x, (x[:, 0] > 1).long())


def build_model():
    return nn.Linear(1, 2)


def build_loss():
    return nn.CrossEntropyLoss()


def evaluate(model, dataset):
    model.eval()
    loader = DataLoader(dataset, batch_size=4, sampler=DistributedSampler(dataset, shuffle=False))
    mine = torch.cat([model(x).argmax(-1) for x, _ in loader])
    everything = [torch.empty_like(mine) for _ in range(WORLD)]
    dist.all_gather(everything, mine)
    return torch.stack(everything, 1).flatten()[: len(dataset)]
