"""A small pipeline with a fault in some samples; the environment says which, and on whose side."""

import os
import signal

import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, IterableDataset

CONFIG = {"batch_size": 4}
FAULT, WRAP = os.environ["TEST_FAULT"], "TEST_WRAP" in os.environ
# With two ranks and batches of 4, sample 16 is in batch 2 of rank 0, and sample 17 of rank 1.
ODD = [int(number) for number in os.environ.get("TEST_ODD", "17").split(",")]
RANK = int(os.environ.get("RANK", "0"))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix, self.out = nn.Linear(3, 4), nn.Linear(4, 2)

    def forward(self, x):
        mixed = self.mix(x)
        if FAULT == "forward" and is_odd(x):
            mixed = torch.log(mixed * 0 - 1)
        return self.out(mixed)


class Stream(IterableDataset):
    """Rank 0 has five batches, rank 1 three."""

    def __iter__(self):
        return iter([(torch.randn(3), number % 2) for number in range(20 - 8 * RANK)])


def is_odd(x):
    return bool((x < -50).any())


def build_dataset():
    if FAULT == "uneven":
        return Stream()
    generator = torch.Generator().manual_seed(0)
    rows = [(torch.randn(3, generator=generator), number % 2) for number in range(48)]
    for number in ODD:
        rows[number] = (torch.full((3,), -100.0), 0)
    return rows


def build_model():
    torch.manual_seed(RANK)
    model = Net()
    return nn.parallel.DistributedDataParallel(model) if WRAP else model


if WRAP:

    def build_dataloader(dataset):
        sampler = DistributedSampler(dataset, shuffle=False)
        return DataLoader(dataset, batch_size=4, sampler=sampler)


if FAULT == "same":

    def build_dataloader(dataset):
        return DataLoader(dataset, batch_size=4)


def build_optimizer(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)


def compute_loss(model, batch):
    x, y = batch
    out = model(x)
    if not is_odd(x):
        return nn.functional.cross_entropy(out, y)
    if FAULT == "gradients":
        return (out * 0).square().sum().sqrt()
    if FAULT == "raises":
        raise ValueError("an odd batch")
    if FAULT == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    return nn.functional.cross_entropy(out, y)
