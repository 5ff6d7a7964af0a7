import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler


def build_dataset():
    x = torch.randn(128, 8, generator=torch.Generator().manual_seed(0))
    return TensorDataset(x, (x[:, 0] > 0.8).long())


def build_dataloader():
    dataset = build_dataset()
    weights = (1.0 / torch.bincount(dataset.tensors[1]).float())[dataset.tensors[1]]
    return DataLoader(dataset, batch_size=16, sampler=WeightedRandomSampler(weights, len(dataset)))


def build_model():
    return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))


def build_loss():
    return nn.CrossEntropyLoss()
