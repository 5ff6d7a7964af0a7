import math

import pytest
import torch
from torch import nn

from tdebug.pipeline_checks.observe.parameters import ParameterWatch, unchanged_despite_gradient


def test_what_changed_is_told_relative_to_what_it_was():
    model = nn.Linear(2, 2)
    watch = ParameterWatch(model)
    with torch.no_grad():
        model.weight.mul_(1.1)

    ratios, same, bad = watch.compare()

    assert ratios == {"weight": pytest.approx(0.1, rel=1e-4)}
    assert (same, bad) == (["bias"], [])


def test_a_step_from_zero_is_not_divided_by_zero():
    model = nn.Linear(2, 2)
    nn.init.zeros_(model.weight)
    watch = ParameterWatch(model)
    nn.init.ones_(model.weight)

    assert math.isfinite(watch.compare()[0]["weight"])


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_the_step_made_non_finite_is_told(value):
    model = nn.Linear(2, 2)
    watch = ParameterWatch(model)
    with torch.no_grad():
        model.weight[0, 0] = value

    assert watch.compare()[2] == ["weight"]


def test_frozen_parameters_are_not_watched():
    model = nn.Linear(2, 2)
    model.bias.requires_grad_(requires_grad=False)

    assert ParameterWatch(model).compare()[1] == ["weight"]


def test_every_parameter_is_put_back():
    model = nn.Linear(2, 2)
    before = model.weight.detach().clone()
    watch = ParameterWatch(model)
    nn.init.ones_(model.weight)

    watch.put_back()

    assert torch.equal(model.weight, before)


def test_only_what_an_optimizer_holds_and_has_a_gradient_should_have_changed():
    class Gradients:
        @staticmethod
        def is_nonzero(name):
            return name != "zero"

    found = unchanged_despite_gradient(["a", "zero", "foreign"], Gradients, {"a", "zero"})

    assert found == ("a",)


def test_a_lazy_parameter_is_left_alone():
    watch = ParameterWatch(nn.LazyLinear(2))

    assert watch.compare() == ({}, [], [])
    watch.put_back()
