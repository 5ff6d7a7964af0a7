"""Outputs that need not be read are finite in truth, and all others are read."""

import copy

import pytest
import torch
from torch import nn

from tdebug.overflow import DebugUnderflowOverflow, OverflowDetectedError
from tdebug.overflow.bounded_modules import keeps_finite
from tdebug.overflow.frames import ModuleCall
from tdebug.overflow.quick_check import FiniteTensors

BOUNDED = [
    nn.ReLU(),
    nn.ReLU(inplace=True),
    nn.ReLU6(),
    nn.ReLU6(inplace=True),
    nn.Sigmoid(),
    nn.Tanh(),
    nn.SiLU(),
    nn.SiLU(inplace=True),
    nn.Identity(),
]
DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def call_watched(module, given):
    """Call a module with a tensor known to be finite, as the watch does."""
    module = copy.deepcopy(module)
    module.register_forward_hook(lambda *_: None)
    finite = FiniteTensors()
    finite.add(given)
    output = module(given)
    return keeps_finite(ModuleCall(module, "", (given,), {}, output), finite), output


@pytest.mark.parametrize("module", BOUNDED, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_largest_finite_values_stay_finite(module, dtype):
    limit = torch.finfo(dtype)
    values = [limit.min, limit.min / 2, -1, 0, 1, limit.max / 2, limit.max]

    _, output = call_watched(module, torch.tensor(values, dtype=dtype))

    assert torch.isfinite(output).all()


@pytest.mark.parametrize("module", BOUNDED, ids=str)
def test_the_output_of_a_known_input_is_not_read(module):
    is_known, _ = call_watched(module, torch.randn(3, 4))

    assert is_known


def test_an_input_written_to_in_between_makes_its_output_unknown():
    module, given = nn.ReLU(inplace=True), torch.randn(3, 4)
    module.register_forward_hook(lambda *_: None)
    finite = FiniteTensors()
    finite.add(given)
    given.fill_(float("inf"))
    output = module(given)

    assert not keeps_finite(ModuleCall(module, "", (given,), {}, output), finite)


def spoil(*_):
    return torch.full((3, 4), float("nan"))


class OwnReLU(nn.ReLU):
    def forward(self, x):
        return super().forward(x) / 0


def hooked():
    module = nn.ReLU()
    module.register_forward_hook(spoil)
    return module


def patched():
    module = nn.ReLU()
    module.forward = spoil
    return module


@pytest.mark.parametrize("build", [OwnReLU, hooked, patched])
def test_a_module_that_only_looks_like_one_of_torch_is_read(build, capsys):
    model = nn.Sequential(nn.Linear(4, 4), build(), nn.Identity())
    with DebugUnderflowOverflow(model), pytest.raises(OverflowDetectedError):
        model(torch.randn(3, 4))

    assert "output" in capsys.readouterr().out
