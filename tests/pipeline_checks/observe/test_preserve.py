import random

import numpy as np
import pytest
import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR

from tdebug.pipeline_checks.observe.preserve import preserved


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.drop, self.out = nn.BatchNorm1d(3), nn.Dropout(0.5), nn.Linear(3, 2)
        self.register_buffer("seen", torch.zeros(()))
        self.register_buffer("nothing", None)

    def forward(self, x):
        self.seen = self.seen + 1
        return self.out(self.drop(self.norm(x)))


def train(model, optimizer, steps=1):
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.randn(4, 3)).sum().backward()
        optimizer.step()


def snapshot(model, optimizer):
    """Everything that can be told of them, with the identity of what a user may hold."""
    return {
        "values": {k: v.clone() for k, v in model.state_dict().items()},
        "ids": [id(t) for t in (*model.parameters(), *model.buffers())],
        "modes": [module.training for module in model.modules()],
        "grads": [None if p.grad is None else (id(p.grad), p.grad.clone())
                  for p in model.parameters()],
        "requires": [p.requires_grad for p in model.parameters()],
        "groups": [(id(g), {k: v for k, v in g.items() if k != "params"})
                   for g in optimizer.param_groups],
        "state": {id(p): {k: (id(v), v.clone()) for k, v in s.items()}
                  for p, s in optimizer.state.items()},
        "random": (torch.get_rng_state(), random.getstate(), np.random.get_state()),  # noqa: NPY002 - the global one
    }  # fmt: skip


def is_same(a, b):
    if isinstance(a, (torch.Tensor, np.ndarray)):
        return a.shape == b.shape and bool((a == b).all())
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(is_same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(is_same(x, y) for x, y in zip(a, b, strict=True))
    return a == b


@pytest.mark.parametrize("num_steps_before", [0, 2])
@pytest.mark.parametrize(
    "make",
    [
        lambda p: torch.optim.AdamW(p, lr=0.1, amsgrad=True),
        lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
        lambda p: torch.optim.Adam(p, lr=torch.tensor(0.1), foreach=False),
    ],
    ids=["AdamW", "SGD", "tensor rate"],
)
def test_training_inside_leaves_no_trace(make, num_steps_before):
    model = Net()
    optimizer = make(model.parameters())
    train(model, optimizer, num_steps_before)
    model.drop.eval()
    before = snapshot(model, optimizer)

    with preserved(model, [optimizer]):
        model.train()
        model.out.requires_grad_(requires_grad=False)
        optimizer.param_groups[0]["lr"] = 7.0
        optimizer.add_param_group({"params": [torch.zeros(1, requires_grad=True)]})
        train(model, optimizer, 3)
        random.random()  # noqa: S311 - the global one
        np.random.rand()  # noqa: NPY002 - the global one

    after = snapshot(model, optimizer)
    assert {key for key in before if not is_same(before[key], after[key])} == set()


def test_it_is_put_back_also_after_an_exception():
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = snapshot(model, optimizer)

    def train_and_raise():
        with preserved(model, [optimizer]):
            train(model, optimizer)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train_and_raise()

    assert is_same(before, snapshot(model, optimizer))


def test_schedulers_and_scalers_get_their_state_back():
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler, scaler = StepLR(optimizer, 1), torch.amp.GradScaler("cpu")
    before = (dict(scheduler.state_dict()), scaler.state_dict())

    with preserved(model, [optimizer], [scheduler, scaler]):
        train(model, optimizer)
        scheduler.step()
        scaler.scale(torch.ones(1))
        scaler.update(2.0)

    assert (scheduler.state_dict(), scaler.state_dict()) == before
    assert optimizer.param_groups[0]["lr"] == 0.1


def test_a_lazy_model_may_be_initialized_inside():
    model = nn.Sequential(nn.LazyLinear(2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    with preserved(model, [optimizer]):
        model(torch.ones(1, 3))

    assert model[0].weight.shape == (2, 3)
