"""Ask in eval mode whether a sample's output depends on its place in the batch."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import torch

from ...overflow import replay_state
from ..nested import leaves
from .forward_tap import Tapped, map_tensors

if TYPE_CHECKING:
    from torch import nn


def run_turned(
    model: nn.Module, tapped: Tapped, rows: int, caught: tuple[type[BaseException], ...]
) -> Any:
    """The output for the same samples, each one place further; turned back by who asks.

    None where a place may count by right: the model draws random numbers, keeps a state for each
    row, or was given values for the rows that are no tensors; or where it raised, as for lengths
    that no longer fall.
    """
    given = [leaf for _, leaf in leaves((tapped.args, tapped.kwargs))]
    if keeps_rows(model, rows) or not all(_is_turnable(leaf) for leaf in given):
        return None
    args, kwargs = map_tensors((tapped.args, tapped.kwargs), turn_on)
    with suppress(*caught), replay_state(model), torch.no_grad():
        before = _random_state()
        output = model(*args, **kwargs)
        return output if _is_same(before, _random_state()) else None
    return None


def turn_on(tensor: torch.Tensor) -> torch.Tensor:
    """Each row one place further, the last one first."""
    return tensor.roll(1, 0) if tensor.dim() else tensor.clone()


def turn_back(tensor: torch.Tensor) -> torch.Tensor:
    """The rows where they were before `turn_on`."""
    return tensor.roll(-1, 0)


def keeps_rows(model: nn.Module, rows: int) -> bool:
    """Whether a module holds a tensor, no parameter, that may have an entry for each row.

    The hidden state of a stateful RNN is one.
    """
    for module in model.modules():
        own = {key: value for key, value in vars(module).items() if not key.startswith("_")}
        held = [*module.buffers(recurse=False), *(leaf for _, leaf in leaves(own))]
        if any(isinstance(tensor, torch.Tensor) and rows in tensor.shape for tensor in held):
            return True
    return False


def _is_turnable(leaf: Any) -> bool:
    is_empty = isinstance(leaf, (dict, list, tuple)) and not leaf
    return is_empty or isinstance(leaf, (torch.Tensor, bool, type(None)))


def _random_state() -> tuple[list[torch.Tensor], Any]:
    on_gpu = torch.cuda.is_available() and torch.cuda.is_initialized()  # type: ignore[no-untyped-call] # torch leaves it untyped
    cuda = torch.cuda.get_rng_state_all() if on_gpu else []
    return [torch.get_rng_state(), *cuda], random.getstate()


def _is_same(before: tuple[list[torch.Tensor], Any], after: tuple[list[torch.Tensor], Any]) -> bool:
    pairs = zip(before[0], after[0], strict=False)
    return before[1] == after[1] and all(torch.equal(one, other) for one, other in pairs)
