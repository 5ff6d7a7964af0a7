"""Leave live objects as they were found."""

from __future__ import annotations

import copy
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.parameter import is_lazy

from ...overflow import replay_state
from .optimizer_state import preserved_optimizer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import nn


@contextmanager
def preserved(
    model: nn.Module,
    optimizers: Sequence[torch.optim.Optimizer],
    others: Sequence[Any] = (),
) -> Iterator[None]:
    """Put back parameters, buffers, gradients, modes, random states and optimizer states.

    A lazy parameter that a forward initializes cannot be put back.

    Args:
        model: The model.
        optimizers: The optimizers.
        others: Whatever else has `state_dict` and `load_state_dict`: schedulers, a scaler.
    """
    with ExitStack() as stack:
        for thing in others:
            stack.enter_context(_preserved_state(thing))
        for optimizer in optimizers:
            stack.enter_context(preserved_optimizer(optimizer))
        stack.enter_context(_preserved_model(model))
        stack.enter_context(replay_state(model))
        yield


@contextmanager
def _preserved_model(model: nn.Module) -> Iterator[None]:
    modes = [(module, module.training) for module in model.modules()]
    buffers = [(module._buffers, dict(module._buffers)) for module in model.modules()]  # noqa: SLF001 - setting them by name would register them anew
    parameters = [
        (p, p.detach().clone(), p.requires_grad) for p in model.parameters() if not is_lazy(p)
    ]
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode
        for held, before in buffers:
            held.clear()
            held.update(before)
        with torch.no_grad():
            for parameter, value, requires_grad in parameters:
                parameter.data.copy_(value)
                parameter.requires_grad_(requires_grad)


@contextmanager
def _preserved_state(thing: Any) -> Iterator[None]:
    state = copy.deepcopy(thing.state_dict())
    try:
        yield
    finally:
        thing.load_state_dict(state)
