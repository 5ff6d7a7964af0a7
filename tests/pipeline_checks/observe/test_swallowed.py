from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from tdebug.pipeline_checks.observe.ranges import RangeWatch
from tdebug.pipeline_checks.observe.swallowed import look_for_swallowed
from tdebug.pipeline_checks.report import Stage


class Model(nn.Module):
    """A norm by hand that squares in some dtype, behind a batch norm and a dropout."""

    def __init__(self, dtype, size=1e3):
        super().__init__()
        self.dtype, self.size, self.num_calls = dtype, size, 0
        self.mix, self.rescale, self.drop = nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.1)
        self.cast = nn.Identity()

    def forward(self, x):
        self.num_calls += 1
        x = self.cast((self.drop(self.rescale(self.mix(x))) * self.size).to(self.dtype))
        return (x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)).float()


@dataclass
class Loop:
    """As much of a training loop as is asked for."""

    model: Any
    code: Any
    style: str = "compute_loss"
    seconds: float = 0.1
    caught: tuple[type[BaseException], ...] = (Exception,)
    batches: list[Any] = field(
        default_factory=lambda: [
            (SimpleNamespace(number=0, indices=(4, 5, 6)), torch.eye(4)[:3] + 0.1)
        ]
    )

    @property
    def session(self):
        return SimpleNamespace(code=self.code, caught=self.caught)

    @property
    def seen(self):
        return SimpleNamespace(run=[0], seconds={Stage.FORWARD: self.seconds})

    def loss(self, batch, number):
        del number
        return self.model(batch).square().mean()


def look(code, model, **loop):
    with RangeWatch(model, 0) as ranges:
        model(torch.eye(4)[:3] + 0.1)
    model.num_calls = 0
    return look_for_swallowed(Loop(model, code, **loop), ranges)


@pytest.mark.parametrize(
    ("dtype", "size"), [(torch.float16, 1e3), (torch.float32, 1e25), (torch.bfloat16, 1e25)]
)
def test_a_square_beyond_the_range_is_found_with_its_line(code, dtype, size):
    found = look(code, Model(dtype, size)).found

    assert (found.origin.operator, found.origin.kind) == ("mul", "inf")
    assert f"torch.{found.origin.dtype}" == str(dtype)
    assert "rsqrt" in found.origin.location.code
    assert found.num_overflowed > 0
    assert found.num_wrong > 0
    assert found.became == 0
    assert abs(found.should_be) > 0.5


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_without_a_sign_no_forward_is_run(code, dtype):
    model = Model(dtype)

    facts = look(code, model)

    assert (facts.found, facts.not_looked_because, model.num_calls) == (None, "", 0)


def test_float16_in_range_is_looked_at_and_no_finding(code):
    model = Model(torch.float16, size=1.0)

    facts = look(code, model)

    assert (facts.found, facts.not_looked_because, model.num_calls) == (None, "", 1)


def test_with_autocast_to_float16_nobody_measured_ranges(code):
    model = Model(torch.float16)

    assert look_for_swallowed(Loop(model, code), None).found is not None


@pytest.mark.parametrize(
    ("loop", "because"),
    [
        ({"style": "train_step"}, "the loop is the user's own"),
        ({"seconds": 6.0}, "a forward takes over 5 s"),
    ],
)
def test_where_it_cannot_or_should_not_be_run_it_is_said(code, loop, because):
    model = Model(torch.float16)

    facts = look(code, model, **loop)

    assert (facts.found, facts.not_looked_because, model.num_calls) == (None, because, 0)


def test_a_forward_that_raises_is_said(code):
    loop = Loop(Model(torch.float16), code, batches=[(SimpleNamespace(number=0, indices=()), "x")])

    facts = look_for_swallowed(loop, None)

    assert facts.not_looked_because.startswith("the forward raised TypeError")


def test_nothing_of_the_run_stays_behind(code):
    model = Model(torch.float16)
    model.mix.weight.grad = torch.ones(4, 4)
    buffers = {name: buffer.clone() for name, buffer in model.named_buffers()}
    before = torch.get_rng_state()

    look_for_swallowed(Loop(model, code), None)

    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(model.mix.weight.grad, torch.ones(4, 4))
    assert all(torch.equal(buffers[name], buffer) for name, buffer in model.named_buffers())
    assert not any(module._forward_hooks for module in model.modules())
