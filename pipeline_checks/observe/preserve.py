"""Leave live objects as they were found."""

from __future__ import annotations

import copy
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from ...overflow import replay_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import nn


@contextmanager
def preserved(
    model: nn.Module, optimizers: Sequence[Any], others: Sequence[Any] = ()
) -> Iterator[None]:
    """Put back parameters, buffers, gradients, modes, random states and optimizer states.

    Args:
        model: The model.
        optimizers: The optimizers; an optimizer without state gets back an empty one.
        others: Whatever else has `state_dict` and `load_state_dict`: schedulers, a scaler.
    """
    modes = [(module, module.training) for module in model.modules()]
    parameters = [(p, p.detach().clone(), p.requires_grad) for p in model.parameters()]
    states = [(thing, copy.deepcopy(thing.state_dict())) for thing in (*optimizers, *others)]
    try:
        with replay_state(model):
            yield
    finally:
        for module, mode in modes:
            module.training = mode
        with torch.no_grad():
            for parameter, value, requires_grad in parameters:
                parameter.copy_(value)
                parameter.requires_grad_(requires_grad)
        for thing, state in states:
            thing.load_state_dict(state)
