"""Steps that a GradScaler skips again and again, and what float16 would make of a run."""

import io

import pytest
import torch
from torch import nn

from tdebug.overflow import (
    DebugUnderflowOverflow,
    OverflowDetectedError,
    SkippedSteps,
    forecast_fp16,
    gradient_frames,
    record_frames,
)


def train(model, scaler, steps, factor=1.0):
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for _ in range(steps):
        optimizer.zero_grad()
        scaler.scale(model(torch.ones(2, 3)).sum() * factor).backward()
        scaler.step(optimizer)
        scaler.update()


def test_the_first_skips_are_counted_and_no_finding():
    model = nn.Linear(3, 1).half()
    scaler = SmallScaler(init_scale=2.0**24)
    with SkippedSteps(scaler) as skipped:
        train(model.float(), scaler, 3, factor=1e32)
        train(model, scaler, 3)

    counts = skipped.counts
    assert (counts.num_updates, counts.num_skipped, counts.num_consecutive) == (6, 3, 0)
    assert not counts.is_stuck
    assert "update" not in vars(scaler)


def SmallScaler(init_scale):  # noqa: N802 - stands for the class
    return torch.amp.GradScaler("cpu", init_scale=init_scale)


def test_a_scale_that_falls_below_one_is_a_finding_with_the_parameters_and_the_operator():
    class Root(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 1)

        def forward(self, x):
            return (self.layer(x) * 0).sqrt()

    model, scaler = Root(), SmallScaler(init_scale=8.0)
    with DebugUnderflowOverflow(model, file=io.StringIO()) as debugger:
        debugger.watch_scaler(scaler)
        with pytest.raises(OverflowDetectedError, match=r"weight.grad, bias.grad of 'layer'"):
            train(model, scaler, 10)

    assert "skipped 4 steps in a row" in debugger.report.note
    assert debugger.report.origin.node == "SqrtBackward0"
    assert "update" not in vars(scaler)


def test_skips_that_come_again_and_again_are_a_finding():
    model, scaler = nn.Linear(3, 1), SmallScaler(init_scale=2.0**100)
    with SkippedSteps(scaler) as skipped:
        train(model, scaler, 1)
        train(model, scaler, 40, factor=float("inf"))

    assert skipped.counts.is_stuck
    assert "skipped 40 of 41 steps" in skipped.counts.describe()


def frames_of(model, *inputs):
    with record_frames(model) as frames:
        model(*inputs)
    return frames


class Times(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return x * self.factor


def test_modules_that_would_overflow_in_float16_are_named_the_worst_first():
    model = nn.Sequential(Times(2e4), Times(10.0), Times(1e-3))

    found = forecast_fp16(frames_of(model, torch.tensor([1.0, 0.5])))

    assert [(f.module, f.context, f.verdict) for f in found[:2]] == [
        ("1", "output", "overflow"),
        ("2", "input[0]", "overflow"),
    ]
    assert found[0].times_limit == pytest.approx(2e5 / 65504)
    assert "3.05 times the largest float16" in found[0].summary()
    assert ("0", "output", "close") in [(f.module, f.context, f.verdict) for f in found]


def test_values_that_would_become_zero_are_named_with_their_share():
    model = nn.Sequential(Times(1e-9))

    found = forecast_fp16(frames_of(model, torch.tensor([1.0, 2.0, 3.0, 1e3])))

    assert found[0].verdict == "underflow"
    assert found[0].zero_share == 0.75
    assert "75% of output" in found[0].summary()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_a_harmless_run_has_no_forecast(dtype):
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU()).to(dtype)

    assert forecast_fp16(frames_of(model, torch.ones(2, 3, dtype=dtype))) == []


def test_what_is_in_float16_already_is_left_out():
    assert forecast_fp16(frames_of(nn.Identity(), torch.tensor([6e4]).half())) == []


def test_gradients_are_measured_by_module():
    model = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))
    model(torch.ones(1, 3)).sum().backward()

    frames = gradient_frames(model)

    assert [frame.module for frame in frames] == ["0", "2"]
    assert [row.context for row in frames[0].rows] == ["weight.grad", "bias.grad"]
    assert frames[1].rows[1].stats.abs_max == 1.0
