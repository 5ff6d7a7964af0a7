"""Running the same batch twice: what has to be put back for the second run to be the first."""

from __future__ import annotations

import random
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True)
class RandomState:
    """The states of the random number generators of torch (all devices), numpy and `random`."""

    cpu: Tensor
    devices: dict[str, list[Tensor]]
    python: tuple[Any, ...]
    numpy: Any

    @classmethod
    def capture(cls) -> RandomState:
        """Read all states; numpy's only if something imported it."""
        numpy = sys.modules.get("numpy")
        numpy_state = numpy.random.get_state() if numpy is not None else None
        return cls(torch.get_rng_state(), _device_states(), random.getstate(), numpy_state)

    def restore(self) -> None:
        """Put all states back."""
        torch.set_rng_state(self.cpu)
        for device, states in self.devices.items():
            module = getattr(torch, device)
            for i, state in enumerate(states):
                module.set_rng_state(state, i)
        random.setstate(self.python)
        numpy = sys.modules.get("numpy")
        if numpy is not None and self.numpy is not None:
            numpy.random.set_state(self.numpy)


@dataclass(frozen=True)
class BatchStart:
    """What a forward depends on besides its arguments and the weights: random states, buffers."""

    random: RandomState
    buffers: tuple[tuple[Tensor, Tensor], ...]

    @classmethod
    def capture(cls, modules: Iterable[nn.Module]) -> BatchStart:
        """Copy the buffers of some modules, but those not made yet, and read the random states."""
        with torch.no_grad():
            buffers = tuple(
                (buffer, buffer.detach().clone())
                for module in modules
                for buffer in module._buffers.values()  # noqa: SLF001 - buffers() costs 0.3 ms a batch
                if buffer is not None and not buffer.is_meta and not is_lazy(buffer)
            )
        return cls(RandomState.capture(), buffers)

    def restore(self) -> None:
        """Put the buffers' values and the random states back."""
        with torch.no_grad():
            for buffer, value in self.buffers:
                # .data: a buffer saved for backward must keep its version counter
                buffer.data.copy_(value)
        self.random.restore()


@contextmanager
def replay_state(model: nn.Module) -> Iterator[None]:
    """Leave random states, buffers and gradients as they were found, whatever the block does.

    Put around a run that must leave no trace, and around each of two runs that are to be the same.
    Gradients are set aside: inside the block all parameters have none.

    Args:
        model: The model whose buffers and gradients are kept.
    """
    start = BatchStart.capture(model.modules())
    gradients = [(p, p.grad) for p in model.parameters()]
    for parameter, _ in gradients:
        parameter.grad = None
    try:
        yield
    finally:
        start.restore()
        for parameter, gradient in gradients:
            parameter.grad = gradient


def _device_states() -> dict[str, list[Tensor]]:
    states: dict[str, list[Tensor]] = {}
    if torch.cuda.is_available() and torch.cuda.is_initialized():  # type: ignore[no-untyped-call] # torch leaves it untyped
        states["cuda"] = list(torch.cuda.get_rng_state_all())
    return states
