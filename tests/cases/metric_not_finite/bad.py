import numpy as np
import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = dict(batch_size=4)


def build_dataset(seed=0):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(22, 3, generator=generator)
    return TensorDataset(x, (x[:, 0] > 0).long())


def build_eval_dataset():
    return build_dataset(seed=1)


def build_model():
    return nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))


def build_loss():
    return nn.CrossEntropyLoss()


def compute_metrics(prediction):
    labels = prediction.label_ids
    hits = prediction.predictions.argmax(-1) == labels
    with np.errstate(all="ignore"):
        return {
            "accuracy": hits.mean(),
            "recall_of_rare": hits[labels == 2].sum() / (labels == 2).sum(),
        }
