"""What of a pipeline's model can be watched, also where torch.compile stands before it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import nn

COMPILED = "_compiled_call_impl"


class UnwatchableError(TypeError):
    """The model's modules cannot be watched; the text says why and what to do."""


@contextmanager
def watchable(model: nn.Module) -> Iterator[nn.Module]:
    """Give the module whose forwards can be followed, and let it run as Python in the block.

    Args:
        model: The pipeline's model. One that `torch.compile` made is looked through; what
            `Module.compile` put before a forward is set aside for the block. The compiler must be
            held back besides (`observe.uncompiled`).
    """
    watched = without_compiler(model)
    kept = [(m, vars(m).pop(COMPILED)) for m in watched.modules() if COMPILED in vars(m)]
    try:
        yield watched
    finally:
        for module, compiled in kept:
            vars(module)[COMPILED] = compiled


def without_compiler(model: nn.Module) -> nn.Module:
    """The model as it was before `torch.compile`."""
    found: Any = model
    while hasattr(found, "_orig_mod"):
        found = found._orig_mod  # noqa: SLF001 - torch.compile has no public name for it
    return found  # type: ignore[no-any-return] # what _orig_mod holds is a module
