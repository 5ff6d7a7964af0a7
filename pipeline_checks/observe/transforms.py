"""Whether a transform of `torch.func` is at work."""

from __future__ import annotations

from torch._C import (
    _functorch,  # pyright: ignore[reportAttributeAccessIssue] # torch writes no stub of it
)


def is_transforming() -> bool:
    """Whether `vmap`, `grad` or another transform of `torch.func` runs the code at work.

    Tensors inside are wrapped: their values cannot be read, and they must not be kept.
    """
    return _functorch.maybe_current_level() is not None  # no public name asks this
