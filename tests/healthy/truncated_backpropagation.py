import torch
from torch import nn


class Batches:
    """Truncated BPTT over a long text: consecutive chunks."""

    def __init__(self, ids, bs=8, bptt=12):
        n = len(ids) // bs
        self.data, self.bptt = ids[: n * bs].view(bs, n), bptt

    def __iter__(self):
        for i in range(0, self.data.shape[1] - 1 - self.bptt, self.bptt):
            yield self.data[:, i : i + self.bptt], self.data[:, i + 1 : i + 1 + self.bptt]

    def __len__(self):
        return (self.data.shape[1] - 1 - self.bptt + self.bptt - 1) // self.bptt


TEXT = (
    "the quick brown fox jumps over the lazy dog and runs away from the hound while it rains " * 30
)
VOCAB = {c: i for i, c in enumerate(sorted(set(TEXT)))}


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.rnn, self.out = (
            nn.Embedding(len(VOCAB), 16),
            nn.LSTM(16, 32, batch_first=True),
            nn.Linear(32, len(VOCAB)),
        )
        self.hidden = None

    def forward(self, x):
        if self.hidden is not None:
            self.hidden = tuple(h.detach() for h in self.hidden)
        y, self.hidden = self.rnn(self.emb(x), self.hidden)
        return self.out(y)


def build_dataloader():
    return Batches(torch.tensor([VOCAB[c] for c in TEXT]))


def build_model():
    return LM()


def build_optimizer(m):
    return torch.optim.Adam(m.parameters(), 3e-3)


def compute_loss(model, batch):
    x, y = batch
    return nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
