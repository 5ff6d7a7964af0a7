"""Tell whether the gradients that a plain optimizer step uses still hold a GradScaler's factor."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextlib import AbstractContextManager

NUM_COMPARED = 256
# How far above the scaled loss its backward may start: sums and averages of scaled losses.
MAX_NODES = 64


@dataclass
class Mark:
    """A gradient as a scaled backward left it: a few of its values, and the factor in it."""

    parameter: torch.Tensor
    values: torch.Tensor
    factor: float

    @property
    def is_kept(self) -> bool:
        """Whether nobody has changed the gradient since: unscaled, cleared, added to."""
        now = few_values(self.parameter.grad)
        return now is not None and torch.equal(now, self.values)


@dataclass
class PlainStep:
    """A step at work on a gradient that holds a factor; the parameter's values before it."""

    mark: Mark
    before: torch.Tensor

    @property
    def factor(self) -> float | None:
        """The factor that has moved the parameter.

        None where it has not moved, or where the step unscaled the gradient itself: accelerate's
        optimizers hold the scaler.
        """
        now = few_values(self.mark.parameter)
        is_moved = now is not None and not torch.equal(now, self.before)
        return self.mark.factor if is_moved and self.mark.is_kept else None


class ScaledGradients:
    """Follows what `GradScaler.scale` returns into the gradients.

    Only the gradients are compared, not the calls: who unscales them by hand is right.

    Attributes:
        was_used: Whether a scaler has scaled a loss.
        was_off: Whether a scaler was asked to and is off: by `enabled=False`, or without CUDA.
    """

    def __init__(self) -> None:
        self.was_used = self.was_off = False
        self._scaled: list[tuple[Any, float]] = []
        self._marks: dict[int, Mark] = {}

    def watching(self) -> AbstractContextManager[object]:
        """Note what every scaler scales while this is entered."""
        original, watch = torch.amp.GradScaler.scale, self

        @functools.wraps(original)
        def scale(scaler: Any, outputs: Any) -> Any:
            result = original(scaler, outputs)
            if scaler.is_enabled():
                watch._note(result, float(scaler.get_scale()))
            watch.was_off = watch.was_off or not scaler.is_enabled()
            return result

        return patch.object(torch.amp.GradScaler, "scale", scale)

    def begin_batch(self) -> None:
        """Let go of the graphs of the last batch."""
        self._scaled = []

    def _note(self, result: Any, factor: float) -> None:
        for tensor in result if isinstance(result, (list, tuple)) else [result]:
            if isinstance(tensor, torch.Tensor) and tensor.grad_fn is not None and factor != 1:
                self._scaled.append((tensor.grad_fn, factor))
                self.was_used = True

    def factor_of(self, roots: Iterable[torch.Tensor]) -> float | None:
        """The factor in the losses that backward starts from, None without one."""
        nodes = [root.grad_fn for root in roots] if self._scaled else []
        for _ in range(MAX_NODES):
            if not nodes:
                return None
            node: Any = nodes.pop(0)
            for scaled, factor in self._scaled:
                if node is scaled:
                    return factor
            nodes += [above for above, _ in node.next_functions if above is not None]
        return None

    def mark(self, optimizers: Sequence[torch.optim.Optimizer], factor: float) -> None:
        """Remember one gradient of each optimizer, right after a backward that scaled them."""
        for optimizer in optimizers:
            for parameter in _parameters_of(optimizer):
                values = few_values(parameter.grad)
                if values is not None and bool(values.count_nonzero()):
                    self._marks[id(optimizer)] = Mark(parameter, values, factor)
                    break

    def kept(self) -> list[Mark]:
        """The marked gradients that nobody has changed; clipping them does not unscale them."""
        return [mark for mark in self._marks.values() if mark.is_kept]

    @staticmethod
    def follow(marks: list[Mark]) -> None:
        """Take the gradients as they are now for the marked ones."""
        for mark in marks:
            values = few_values(mark.parameter.grad)
            mark.values = mark.values if values is None else values

    def begin_step(self, optimizer: object) -> PlainStep | None:
        """The step of an optimizer whose gradients still hold a factor, else None."""
        mark = self._marks.get(id(optimizer))
        if mark is None or not mark.is_kept:
            return None
        before = few_values(mark.parameter)
        return PlainStep(mark, before) if before is not None else None


def _parameters_of(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    return [p for group in optimizer.param_groups for p in group["params"]]


def few_values(tensor: torch.Tensor | None) -> torch.Tensor | None:
    """A copy of the first values; None without a tensor that can be read so."""
    if tensor is None or tensor.layout is not torch.strided or not tensor.numel():
        return None
    return tensor.detach().reshape(-1)[:NUM_COMPARED].clone()
