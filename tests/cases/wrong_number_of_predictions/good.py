import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

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


def evaluate(model, dataset):
    model.eval()
    loader = DataLoader(dataset, batch_size=4, shuffle=True)
    with torch.no_grad():
        return torch.cat([model(x).argmax(-1) for x, _ in loader])
