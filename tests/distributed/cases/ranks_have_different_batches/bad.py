import os

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

LINES_OF_FILES = [9, 5, 8]


class Lines(IterableDataset):
    def __iter__(self):
        rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        for number, lines in list(enumerate(LINES_OF_FILES))[rank::world]:
            for line in range(lines):
                yield torch.tensor([number / 3, line / 10]), line % 2


def build_dataloader():
    return DataLoader(Lines(), batch_size=4)


def build_model():
    return nn.Linear(2, 2)


def build_loss():
    return nn.CrossEntropyLoss()
