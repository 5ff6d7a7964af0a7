import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(gradient_accumulation_steps=2)


def build_dataset():
    x = torch.arange(44.0)[:, None] / 20
    return TensorDataset(x, (x[:, 0] > 1).long())


def build_model():
    return accelerator.prepare(nn.Sequential(nn.Linear(1, 4), nn.Dropout(0.3), nn.Linear(4, 2)))


def build_optimizer(model):
    return accelerator.prepare(torch.optim.AdamW(model.parameters(), lr=1e-2))


def build_dataloader():
    return accelerator.prepare(DataLoader(build_dataset(), batch_size=4, shuffle=True))


def train_step(model, batch, optimizer, state):
    x, y = batch
    with accelerator.accumulate(model):
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        if accelerator.sync_gradients:
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return loss
