"""Bring arrays of different lengths to one shape, and put them behind each other."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import torch

from .leaf import as_leaf, at_least_1d, corner, new_empty, require_padding_fits, write
from .nested import Nested, map_nested

if TYPE_CHECKING:
    from .leaf import Leaf


def nested_concat(first: Nested, second: Nested, padding_index: complex = -100) -> Nested:
    """Put the rows of `second` behind those of `first`, array by array.

    Arrays of different lengths are padded on the right in every dimension but the first. Different
    dtypes are promoted as `torch.cat` and `numpy.concatenate` do. A 0-d array counts as one row.

    Args:
        first: Arrays of shape `(rows, ...)`, or lists, tuples and dicts of them.
        second: The same structure; rows and lengths may differ, the number of dimensions may not.
        padding_index: What the shorter rows are filled with.

    Returns:
        The structure of `first` with arrays of shape `(rows + rows, longest, ...)`, on the device
        of the two, new even where one of them is empty.

    Raises:
        TypeError: A leaf is no array, or a tensor meets a numpy array.
        ValueError: Structures or numbers of dimensions differ, or the padding does not fit the
            dtype.

    >>> nested_concat([torch.tensor([[1, 2]])], [torch.tensor([[3, 4, 5]])])
    [tensor([[   1,    2, -100],
            [   3,    4,    5]])]
    """

    def concat(path: str, a: object, b: object) -> Leaf | None:
        if a is None and b is None:
            return None
        return _concat_leaves(path, as_leaf(path, a), as_leaf(path, b), padding_index)

    return map_nested(concat, first, second)


def nested_pad(nested: Nested, length: int, padding_index: complex = -100) -> Nested:
    """Pad the second dimension of every array on the right, up to `length`.

    Arrays of fewer than two dimensions have no length and come back as they are.

    Raises:
        ValueError: An array is longer than `length`, or the padding does not fit its dtype.

    >>> nested_pad({"ids": torch.tensor([[1, 2]]), "label": torch.tensor([5])}, 3, 0)
    {'ids': tensor([[1, 2, 0]]), 'label': tensor([5])}
    """

    def pad(path: str, value: object) -> Leaf | None:
        if value is None:
            return None
        leaf = as_leaf(path, value)
        if leaf.ndim < 2:  # noqa: PLR2004  # rows alone: there is no second dimension
            return leaf
        if leaf.shape[1] > length:
            raise ValueError(f"{path} has length {leaf.shape[1]}, longer than {length}.")
        return pad_to(path, leaf, (leaf.shape[0], length, *leaf.shape[2:]), padding_index)

    return map_nested(pad, nested)


def pad_to(path: str, leaf: Leaf, shape: tuple[int, ...], padding_index: complex) -> Leaf:
    """Put an array into the first corner of one of `shape`, filled with the padding elsewhere."""
    if tuple(leaf.shape) == shape:
        return leaf
    padded = new_empty(leaf, shape)
    fill_rows(path, padded, slice(0, shape[0]), leaf, padding_index)
    return padded


def longest(path: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Give the greatest length in each dimension after the first.

    Raises:
        ValueError: The numbers of dimensions differ.
    """
    if len({len(shape) for shape in shapes}) > 1:
        raise ValueError(
            f"{path} has shapes of different numbers of dimensions: "
            f"{', '.join(str(tuple(shape)) for shape in shapes)}."
        )
    return tuple(map(max, zip(*(shape[1:] for shape in shapes), strict=True)))


def _concat_leaves(path: str, a: Leaf, b: Leaf, padding_index: complex) -> Leaf:
    if isinstance(a, torch.Tensor) != isinstance(b, torch.Tensor):
        names = type(a).__name__, type(b).__name__
        raise TypeError(f"{path} is a {names[0]} in the first, a {names[1]} in the other.")
    a, b = at_least_1d(a), at_least_1d(b)
    width = longest(path, tuple(a.shape), tuple(b.shape))
    joined = new_empty(_of_promoted_dtype(a, b), (a.shape[0] + b.shape[0], *width))
    start = 0
    for part in (a, b):
        rows = slice(start, start + part.shape[0])
        fill_rows(path, joined, rows, part, padding_index)
        start = rows.stop
    return joined


def fill_rows(path: str, target: Leaf, rows: slice, source: Leaf, padding_index: complex) -> None:
    """Write `source` into these rows of a `target` as wide or wider, and pad what it leaves."""
    if source.shape[1:] != target.shape[1:]:
        require_padding_fits(path, target, padding_index)
        write(target, (rows,), padding_index)
    write(target, corner(tuple(source.shape), rows), source)


def _of_promoted_dtype(a: Leaf, b: Leaf) -> Leaf:
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.new_empty((0,), dtype=torch.promote_types(a.dtype, b.dtype))
    numpy = sys.modules["numpy"]
    empty: Leaf = numpy.empty((0,), dtype=numpy.promote_types(a.dtype, b.dtype))
    return empty
