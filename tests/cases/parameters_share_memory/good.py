import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = dict(batch_size=8)


class Lm(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 16)
        self.rnn = nn.GRU(16, 16, batch_first=True)
        self.out = nn.Linear(16, 30, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, ids):
        return self.out(self.rnn(self.emb(ids))[0])


def build_dataset():
    g = torch.Generator().manual_seed(0)
    return TensorDataset(torch.randint(0, 30, (32, 8), generator=g))


def build_model():
    return Lm()


def compute_loss(model, batch):
    ids = batch[0]
    return nn.functional.cross_entropy(model(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
