"""What one run of the loss hands to the model's forward, and which classes it is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from ..nested import is_named_tuple

if TYPE_CHECKING:
    from torch import nn

CLASS_LOSSES = {"cross_entropy", "nll_loss"}


@dataclass
class Tapped:
    """What the model's forward was first called with; the target of the first class loss."""

    args: tuple[Any, ...] | None = None
    kwargs: dict[str, Any] | None = None
    target: torch.Tensor | None = None


class _TargetTap(TorchFunctionMode):
    def __init__(self, tapped: Tapped) -> None:
        super().__init__()
        self.tapped = tapped

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") in CLASS_LOSSES and self.tapped.target is None:
            target = kwargs.get("target", args[1] if len(args) > 1 else None)
            if isinstance(target, torch.Tensor):
                self.tapped.target = target.detach().clone()
        return func(*args, **kwargs)


def tap_forward(model: nn.Module, run: Callable[[], object]) -> Tapped:
    """Run the loss once and keep what its first call of the model was given."""
    tapped = Tapped()

    def note(_module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if tapped.args is None:
            tapped.args = map_tensors(args, _copied)
            tapped.kwargs = map_tensors(kwargs, _copied)

    handle = model.register_forward_pre_hook(note, with_kwargs=True)
    try:
        with _TargetTap(tapped):
            run()
    finally:
        handle.remove()
    return tapped


def _copied(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone()


def map_tensors(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """The same nested value with every tensor in it changed; other leaves as they are."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, Mapping):
        found = copy(value)
        for key, item in value.items():
            found[key] = map_tensors(item, change)  # type: ignore[index] # batches are mutable mappings
        return found
    if is_named_tuple(value):
        return type(value)(*(map_tensors(item, change) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(map_tensors(item, change) for item in value)
    return value
