import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def build_dataset():
    torch.manual_seed(0)
    x = torch.randn(60, 3)
    return TensorDataset(x, x @ torch.tensor([[1.0], [2.0], [-1.0]]) + 0.5)


def build_dataloader():
    return DataLoader(build_dataset(), batch_size=60)


def build_model():
    return nn.Linear(3, 1)


def build_optimizer(m):
    return torch.optim.LBFGS(m.parameters(), lr=0.5, max_iter=5, line_search_fn="strong_wolfe")


def train_step(model, batch, optimizer, state):
    x, y = batch

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        return loss

    return optimizer.step(closure)
