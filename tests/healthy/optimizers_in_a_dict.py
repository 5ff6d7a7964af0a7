import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, outputs))


class ActorAndCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor, self.critic = mlp(3, 1), mlp(4, 1)
        self.old_actor, self.old_critic = copy.deepcopy(self.actor), copy.deepcopy(self.critic)


def build_model():
    return ActorAndCritic()


def build_dataloader():
    torch.manual_seed(0)
    state, action = torch.randn(128, 3), torch.rand(128, 1) * 2 - 1
    reward = state[:, :1] * action
    replay = TensorDataset(state, action, reward, state * 0.9 + 0.1 * action)
    return DataLoader(replay, 32, shuffle=True)


def build_optimizer(model):
    return {
        "actor": torch.optim.Adam(model.actor.parameters(), 3e-4),
        "critic": torch.optim.Adam(model.critic.parameters(), 3e-4),
    }


step = 0


def train_step(model, batch, optimizer, state):
    global step
    now, action, reward, then = batch
    with torch.no_grad():
        wanted = torch.tanh(model.old_actor(then))
        target = reward + 0.99 * model.old_critic(torch.cat([then, wanted], 1))
    loss = F.mse_loss(model.critic(torch.cat([now, action], 1)), target)
    optimizer["critic"].zero_grad()
    loss.backward()
    optimizer["critic"].step()
    step += 1
    if step % 2 == 0:
        value = model.critic(torch.cat([now, torch.tanh(model.actor(now))], 1)).mean()
        optimizer["actor"].zero_grad()
        (-value).backward()
        optimizer["actor"].step()
        for part in ("actor", "critic"):
            pairs = zip(
                getattr(model, part).parameters(),
                getattr(model, f"old_{part}").parameters(),
                strict=True,
            )
            for new, old in pairs:
                old.data.lerp_(new.data, 0.005)
    return loss
