"""Hooks on every module, which go away without a trace and are not carried off with a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torch import nn
    from torch.utils.hooks import RemovableHandle


class LocalHook:
    """A hook that works on the model it was put on, and does nothing on a copy of it.

    A model's copies (deepcopy for a moving average, pickle for a checkpoint) take its hooks along.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> Callable[..., None]:
        return do_nothing

    def __reduce__(self) -> tuple[Callable[[], Callable[..., None]], tuple[()]]:
        return give_inert_hook, ()


def give_inert_hook() -> Callable[..., None]:
    """Give what a hook turns into when its model is unpickled."""
    return do_nothing


def do_nothing(*_: Any) -> None:
    """Stand in for a hook on a copy of the model."""


def hook_modules(
    modules: Iterable[nn.Module], before: Callable[..., None], after: Callable[..., None]
) -> list[RemovableHandle]:
    """Put a hook before and one after the forward of each module, keywords included.

    The hook after is called even if the forward raised, then with None as output.
    """
    handles = []
    for module in modules:
        handles.append(module.register_forward_pre_hook(before, with_kwargs=True))
        handles.append(module.register_forward_hook(after, with_kwargs=True, always_call=True))
    return handles
