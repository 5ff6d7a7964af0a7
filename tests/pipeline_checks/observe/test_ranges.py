import torch
from torch import nn

from tdebug.pipeline_checks.observe.ranges import RangeWatch


class Times(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return x * self.factor


def facts_of(model, x):
    with RangeWatch(model, 3) as watch:
        model(x)
    return watch.facts()


def test_outputs_beyond_half_of_the_largest_float16_are_kept():
    found = facts_of(nn.Sequential(Times(3e4), Times(2.0), Times(1e-6)), torch.tensor([-1.0, 0.5]))

    assert [(fact.module, fact.abs_max) for fact in found.near_limit] == [("1", 6e4)]
    assert (found.batch, found.num_modules) == (3, 4)


def test_the_largest_of_several_calls_counts():
    model = Times(4e4)

    with RangeWatch(model, 0) as watch:
        for size in (1.0, 5.0, 2.0):
            model(torch.tensor([size]))
    assert [fact.abs_max for fact in watch.facts().near_limit] == [2e5]


def test_masks_float16_integers_and_empty_outputs_are_left_out():
    values = [
        torch.full((2,), torch.finfo(torch.float32).min),
        torch.full((2,), 6e4, dtype=torch.float16),
        torch.full((2,), 10**6),
        torch.empty(0),
    ]

    assert all(not facts_of(nn.Identity(), value).near_limit for value in values)


def test_nan_and_inf_are_left_to_the_finding_of_their_own():
    for value in (float("nan"), float("inf")):
        assert not facts_of(nn.Identity(), torch.tensor([1e5, value])).near_limit


def test_the_hooks_are_gone_afterwards():
    model = nn.Sequential(nn.Linear(2, 2))

    facts_of(model, torch.ones(1, 2))
    assert not any(module._forward_hooks for module in model.modules())
