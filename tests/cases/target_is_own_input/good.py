import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 8}


def build_dataset():
    g = torch.Generator().manual_seed(0)
    source = torch.randint(1, 20, (64, 7), generator=g)
    return TensorDataset(source, torch.randint(1, 20, (64, 6), generator=g))


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 16)
        self.transformer = nn.Transformer(16, 2, 1, 1, 32, dropout=0.0, batch_first=True)
        self.out = nn.Linear(16, 20)

    def forward(self, source, target):
        mask = nn.Transformer.generate_square_subsequent_mask(target.size(1))
        hidden = self.transformer(self.embed(source), self.embed(target), tgt_mask=mask)
        return self.out(hidden)


def build_model():
    return Translator()


def compute_loss(model, batch):
    source, target = batch
    logits = model(source, target[:, :-1])
    return F.cross_entropy(logits.transpose(1, 2), target[:, 1:])
