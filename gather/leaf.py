"""What tensors and numpy arrays have in common, so that the rest need not tell them apart."""

from __future__ import annotations

import math
import sys
import warnings
from typing import TYPE_CHECKING, Any, TypeAlias

import torch

if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import TypeIs

    Leaf: TypeAlias = torch.Tensor | np.ndarray[Any, Any]

Region: TypeAlias = tuple[slice, ...]


def is_numpy(value: object) -> TypeIs[np.ndarray[Any, Any]]:
    """Tell a numpy array without importing numpy: who has one has imported it."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def as_leaf(path: str, value: object) -> Leaf:
    """Take a tensor (detached) or a numpy array or scalar as it is, and refuse anything else.

    Raises:
        TypeError: The value is neither, or a tensor that is not dense.
    """
    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided or value.is_nested:
            kind = "nested" if value.is_nested else str(value.layout).removeprefix("torch.")
            raise TypeError(
                f"{path} is a {kind} tensor; only dense ones can be gathered: call to_dense() (or "
                f"torch.nested.to_padded_tensor) first."
            )
        return value.detach()
    if is_numpy(value):
        return value
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return numpy.asarray(value)  # type: ignore[no-any-return]  # sys.modules holds plain modules
    raise TypeError(
        f"{path} is a {type(value).__name__}; what can be gathered are tensors, numpy arrays, "
        f"and lists, tuples and dicts of them."
    )


def at_least_1d(leaf: Leaf) -> Leaf:
    """Give a 0-d array, as a batch of one that was squeezed has, its one row back."""
    return leaf if leaf.ndim else leaf.reshape(1)


def to_cpu(leaf: Leaf) -> Leaf:
    """Give the array on the CPU, itself where it is there already."""
    return leaf.cpu() if isinstance(leaf, torch.Tensor) else leaf


def new_empty(like: Leaf, shape: tuple[int, ...]) -> Leaf:
    """Allocate an array with the dtype and device of `like`; pages cost nothing until written."""
    if isinstance(like, torch.Tensor):
        return like.new_empty(shape)
    return sys.modules["numpy"].empty(shape, dtype=like.dtype)  # type: ignore[no-any-return]  # see as_leaf


def write(target: Leaf, region: Region, source: Any) -> None:
    """Copy an array or a number into a part of `target`, from whatever device it is on."""
    target[region] = source


def corner(shape: tuple[int, ...], rows: slice) -> Region:
    """Select `rows`, and in the other dimensions the start, as long as in `shape`."""
    return (rows, *(slice(0, length) for length in shape[1:]))


def require_padding_fits(path: str, like: Leaf, padding_index: complex) -> None:
    """Refuse a padding that the dtype cannot hold, which would turn into another value silently.

    Raises:
        ValueError: The padding becomes something else in this dtype (-100 is 156 in uint8).
    """
    probe = new_empty(like, (1,))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numpy also warns of what is refused below
            write(probe, (slice(0, 1),), padding_index)
        held = probe.tolist()[0]
    except (RuntimeError, OverflowError, TypeError, ValueError):
        held = None
    if not _is_same_number(held, padding_index):
        raise ValueError(
            f"{path} needs padding, and padding_index={padding_index!r} does not fit its dtype "
            f"{like.dtype}: give a padding_index that does, 0 for example, or pad it yourself."
        )


def _is_same_number(held: object, wanted: complex) -> bool:
    if not isinstance(held, (bool, int, float, complex)):
        return False
    if held == wanted or (held != held and wanted != wanted):  # noqa: PLR0124  # nan is nan
        return True
    # A float may round; it must not become infinite or lose its value.
    return isinstance(held, float) and math.isclose(held, wanted.real, rel_tol=0.13)
