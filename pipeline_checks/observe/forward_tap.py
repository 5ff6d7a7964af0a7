"""What one run of the loss hands to the model's forward, and which classes it is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from ..nested import is_named_tuple, leaves

if TYPE_CHECKING:
    from torch import nn

CLASS_LOSSES = {"cross_entropy", "nll_loss"}


@dataclass
class Tapped:
    """What the model's forward was first called with; the target of the first class loss.

    Attributes:
        trained: Paths of the outputs that require gradients.
        losses: Paths of the outputs that a loss function returned.
    """

    args: tuple[Any, ...] | None = None
    kwargs: dict[str, Any] | None = None
    target: torch.Tensor | None = None
    trained: frozenset[str] = frozenset()
    losses: frozenset[str] = frozenset()


class _TargetTap(TorchFunctionMode):
    def __init__(self, tapped: Tapped) -> None:
        super().__init__()
        self.tapped = tapped
        self.losses: list[torch.Tensor] = []

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in CLASS_LOSSES and self.tapped.target is None:
            target = kwargs.get("target", args[1] if len(args) > 1 else None)
            if isinstance(target, torch.Tensor):
                self.tapped.target = target.detach().clone()
        found = func(*args, **kwargs)
        if name in CLASS_LOSSES or name.endswith("_loss"):
            self.losses.append(found)
        return found


def tap_forward(model: nn.Module, run: Callable[[], object]) -> Tapped:
    """Run the loss once and keep what its first call of the model was given."""
    tapped = Tapped()

    def note(_module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if tapped.args is None:
            tapped.args = map_tensors(args, _copied)
            tapped.kwargs = map_tensors(kwargs, _copied)

    tap = _TargetTap(tapped)

    def note_output(_module: nn.Module, _args: tuple[Any, ...], output: Any) -> None:
        if tapped.trained or tapped.losses:
            return
        tensors = [(path, leaf) for path, leaf in leaves(output) if isinstance(leaf, torch.Tensor)]
        tapped.trained = frozenset(path for path, leaf in tensors if leaf.requires_grad)
        made = {id(loss) for loss in tap.losses}
        tapped.losses = frozenset(path for path, leaf in tensors if id(leaf) in made)

    handles = [
        model.register_forward_pre_hook(note, with_kwargs=True),
        model.register_forward_hook(note_output),
    ]
    try:
        with tap:
            run()
    finally:
        for handle in handles:
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
