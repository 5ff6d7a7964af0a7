"""Give an optimizer back its groups and its state, the very objects with the contents they had."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def preserved_optimizer(optimizer: torch.optim.Optimizer) -> Iterator[None]:
    """Put back what an optimizer holds, whatever the block does.

    `load_state_dict` would put other objects in place of those that the user may hold.
    """
    groups = [(group, _kept(group)) for group in optimizer.param_groups]
    states = {key: (state, _kept(state)) for key, state in optimizer.state.items()}
    try:
        yield
    finally:
        optimizer.param_groups[:] = [group for group, _ in groups]
        for group, restore in groups:
            restore(group)
        optimizer.state.clear()
        for key, (state, restore) in states.items():
            restore(state)
            optimizer.state[key] = state


def _kept(entries: dict[Any, Any]) -> Callable[[dict[Any, Any]], None]:
    """A function that gives a dict back its entries, and its tensors and lists their contents."""
    before = [(key, value, _content(value)) for key, value in entries.items()]

    def restore(held: dict[Any, Any]) -> None:
        held.clear()
        for key, value, content in before:
            if isinstance(value, torch.Tensor):
                value.detach().copy_(content)
            elif isinstance(value, list):
                value[:] = content
            held[key] = value

    return restore


def _content(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    return list(value) if isinstance(value, list) else value
