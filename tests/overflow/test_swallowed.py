"""Overflows that a finite output hides, and those that are all right."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from tdebug.overflow import find_swallowed_overflow

LARGEST = torch.finfo(torch.float16).max


class Block(nn.Module):
    """A module around a function, so that its output is a module's output."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class Model(nn.Module):
    def __init__(self, function, size):
        super().__init__()
        self.size = size
        self.block = Block(function)

    def forward(self, x):
        return self.block(x.half() * self.size)


def swallowed(function, size=400.0, loss=lambda output: output.float().mean()):
    torch.manual_seed(0)
    x = torch.randn(6, 8)
    model = Model(function, size)
    return find_swallowed_overflow(lambda: loss(model(x)), model)


def rms_norm(x):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)


def unit_vectors(x):
    return x / (x * x).sum(-1, keepdim=True).sqrt()


def standardized(x):
    variance = (x * x).mean(-1, keepdim=True) - x.mean(-1, keepdim=True) ** 2
    return (x - x.mean(-1, keepdim=True)) / variance.sqrt()


def inverse_distance(x):
    return 1e4 / (1 + torch.einsum("ik,jk->ij", x, x).abs())


WRONG = {
    "rms_norm": rms_norm,
    "unit_vectors": unit_vectors,
    "standardized": standardized,
    "inverse_distance": inverse_distance,
    "norm_then_mask": lambda x: rms_norm(x).masked_fill(x > 1e4, 0.0),
    "exp_in_a_ratio": lambda x: 1e3 / (x.abs().div(1e3) + 11).exp(),
    "sum_in_float16": lambda x: 1e4 / x.abs().mul(30).sum(-1),
    "in_a_residual": lambda x: x / 400 + rms_norm(x),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_overflow_that_makes_a_module_wrong_is_found(name):
    origin = swallowed(WRONG[name], loss=lambda output: output.float().square().mean())

    assert origin is not None
    assert (origin.is_swallowed, origin.swallowed_in) == (True, "block")
    assert (origin.kind, origin.output.dtype) == ("inf", "float16")
    assert origin.became != origin.should_be


def sigmoid_by_hand(x):
    return 1 / (1 + torch.exp(-x))


def gelu_by_hand(x):
    return 0.5 * x * (1 + torch.tanh(0.8 * (x + 0.044715 * x * x * x)))


def logsumexp_by_hand(x):
    largest = x.amax(-1, keepdim=True)
    return (x - largest).exp().sum(-1, keepdim=True).log() + largest


def attention_with_two_masks(x):
    mask = torch.full((6, 6), LARGEST, dtype=torch.float16).neg().triu(1)
    return functional.softmax(x @ x.T / 1e3 + mask + mask, -1) @ x


def attention_with_a_large_constant(x):
    hidden = torch.ones(6, 6).triu(1)
    return functional.softmax((x @ x.T / 1e3 + (hidden * -1e9).half()), -1) @ x


def running_maximum(x):
    best = torch.full((6,), float("-inf"), dtype=torch.float16)
    for column in x.T:
        best = torch.maximum(best, column)
    return best


def replaced_where_infinite(x):
    square = x * x
    return torch.where(torch.isinf(square), torch.zeros_like(x), square)


def filled_in_place(x):
    square = x * x
    square[torch.isinf(square)] = 0
    return square


def like_t5(x):
    wide = x * x
    limit = torch.where(torch.isinf(wide).any(), LARGEST - 1000, LARGEST)
    return torch.clamp(wide, min=-limit, max=limit) / 1e4


def guarded_in_python(x):
    square = x * x
    return x if not torch.isfinite(square).all() else square


RIGHT = {
    "sigmoid_by_hand": sigmoid_by_hand,
    "gelu_by_hand": gelu_by_hand,
    "logsumexp_by_hand": logsumexp_by_hand,
    "attention_with_two_masks": attention_with_two_masks,
    "attention_with_a_large_constant": attention_with_a_large_constant,
    "running_maximum": running_maximum,
    "replaced_where_infinite": replaced_where_infinite,
    "filled_in_place": filled_in_place,
    "like_t5": like_t5,
    "guarded_in_python": guarded_in_python,
    "clamped": lambda x: (x * x).clamp(max=100),
    "clamped_after_a_sum": lambda x: ((x * x).abs() - 6e4).clamp(-1e3, 1e5 - 4e4) / 1e3,
    "clamped_in_place": lambda x: ((x * x).abs() - 6e4).clamp_(-1e3, 6e4) / 1e3,
    "nan_to_num": lambda x: (x * x).nan_to_num(posinf=0.0),
    "tanh": lambda x: torch.tanh(x * x),
    "softmax": lambda x: functional.softmax(x.masked_fill(x < 0, float("-inf")), -1),
    "max_pool": lambda x: functional.max_pool1d(x.float(), 3, padding=1),
    "kernel": lambda x: torch.eye(6).half() + torch.exp(-torch.einsum("ik,jk->ij", x, x).abs()),
    "kernel_of_nothing": lambda x: torch.exp(-(x * x) - 300),
    "small_in_any_case": lambda x: 1 / (1 + torch.einsum("ik,jk->ij", x, x).abs()),
    "mean_of_sigmoids": lambda x: sigmoid_by_hand(x / 20).mean(-1),
    "xlogy": lambda x: torch.xlogy(x.relu(), x.relu()).clamp(max=10),
    "finite_or_zero": lambda x: torch.where(torch.isfinite(x * x), x / 400, 0.0),
    "norm_in_float32": lambda x: rms_norm(x.float()).half(),
    "layer_norm": lambda x: functional.layer_norm(x, (8,)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_an_overflow_without_consequence_is_none(name):
    assert swallowed(RIGHT[name], loss=lambda output: output.float().square().mean()) is None


def test_rounding_in_a_long_chain_is_no_overflow():
    def forget(x):
        state = torch.tanh(x * x)
        for _ in range(50):
            state = torch.tanh(state * 1.3 - torch.tanh(x * x) * 0.1)
        return state

    assert swallowed(forget) is None


def test_what_never_reaches_the_loss_is_none():
    mask = torch.tensor([1.0, 0, 1, 1, 1, 1])
    assert swallowed(rms_norm, loss=lambda output: output.float().mul(0).sum() + mask.sum()) is None


def test_an_overflow_that_cannot_be_followed_to_the_loss_is_found():
    torch.manual_seed(0)
    origin = swallowed(rms_norm, loss=lambda output: functional.dropout(output, 0.5).float().sum())

    assert origin is not None


def test_the_elements_are_told_as_they_are_and_as_they_should_be():
    origin = swallowed(rms_norm, loss=lambda output: output.float().square().mean())

    assert origin.became == 0
    assert abs(origin.should_be) > 1
    assert origin.float64_abs_max > LARGEST
