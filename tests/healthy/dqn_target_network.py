import copy
import random
from collections import deque

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Walk:
    def reset(self):
        self.s = torch.rand(3) - 0.5
        return self.s

    def step(self, a):
        self.s = (self.s + 0.1 * (a - 0.5) + 0.01 * torch.randn(3)).clamp(-1, 1)
        return self.s, 1.0 - float(self.s.abs().sum()), random.random() < 0.1


class Replay(IterableDataset):
    def __init__(self, buffer):
        self.buffer = buffer

    def __iter__(self):
        yield from random.sample(list(self.buffer), 80)


class DQN(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
        self.target_net = copy.deepcopy(self.net)
        self.env, self.buffer = Walk(), deque(maxlen=500)
        self.s = self.env.reset()
        for _ in range(120):
            self.play(1.0)

    def play(self, epsilon):
        explore = random.random() < epsilon
        a = random.randint(0, 1) if explore else int(self.net(self.s[None]).argmax())
        after, reward, done = self.env.step(a)
        self.buffer.append((self.s, a, reward, done, after))
        self.s = self.env.reset() if done else after

    def training_step(self, batch, batch_idx):
        s, a, reward, done, after = batch
        with torch.no_grad():
            self.play(0.2)
            value = self.target_net(after).max(1)[0]
            value[done] = 0.0
        q = self.net(s).gather(1, a.unsqueeze(-1)).squeeze(-1)
        loss = nn.functional.mse_loss(q, value * 0.9 + reward.float())
        if self.global_step % 10 == 0:
            self.target_net.load_state_dict(self.net.state_dict())
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.net.parameters(), lr=1e-2)


model = DQN()


def build_model():
    return model


def build_dataloader():
    return DataLoader(Replay(model.buffer), batch_size=16)
