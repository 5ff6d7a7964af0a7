"""Nested arrays as one row of bytes, and back, bit for bit."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import torch

from .layout import as_sendable
from .nested import Nested, nested_leaves

if TYPE_CHECKING:
    from .layout import Layout
    from .leaf import Leaf

ALIGNMENT = 16  # bytes: the largest element, complex128, starts only where it may


def pack(nested: Nested, num_bytes: int, device: torch.device) -> torch.Tensor:
    """Copy all arrays behind each other into uint8 of shape `(num_bytes,)`.

    Bytes are what every backend can move, whatever the dtype was.
    """
    packed = torch.zeros(num_bytes, dtype=torch.uint8, device=device)
    start = 0
    for path, value in nested_leaves(nested):
        if value is not None:
            as_bytes = _view_as_bytes(as_sendable(path, value))
            packed[start : start + as_bytes.numel()] = as_bytes
            start += _round_up(as_bytes.numel())
    return packed


def unpack(packed: torch.Tensor, layout: Layout, like: dict[str, Leaf]) -> dict[str, Leaf]:
    """Give the arrays by path, as views of the bytes, which are on the CPU.

    Args:
        packed: What `pack` made of arrays with this layout.
        layout: The structure and the shapes.
        like: Arrays of the same kinds and dtypes.
    """
    arrays, start = {}, 0
    for path, leaf in layout.leaves.items():
        as_bytes = packed[start : start + leaf.num_bytes]
        arrays[path] = _view_as_array(as_bytes, like[path]).reshape(leaf.shape)
        start += _round_up(leaf.num_bytes)
    return arrays


def count_packed_bytes(layout: Layout) -> int:
    """Give the length of what `pack` makes of arrays with this layout."""
    return sum(_round_up(leaf.num_bytes) for leaf in layout.leaves.values())


def _round_up(num_bytes: int) -> int:
    return -(-num_bytes // ALIGNMENT) * ALIGNMENT


def _view_as_bytes(leaf: Leaf) -> torch.Tensor:
    if isinstance(leaf, torch.Tensor):
        flat = leaf.resolve_conj().resolve_neg().contiguous().reshape(-1)
        return flat.view(torch.uint8)
    numpy = sys.modules["numpy"]
    array = numpy.ascontiguousarray(leaf).reshape(-1).view(numpy.uint8)
    # A copy, as torch does not take arrays that may not be written to.
    return torch.from_numpy(array.copy())


def _view_as_array(as_bytes: torch.Tensor, like: Leaf) -> Leaf:
    if isinstance(like, torch.Tensor):
        return as_bytes.view(like.dtype)
    array: Leaf = as_bytes.numpy().view(like.dtype)
    return array
