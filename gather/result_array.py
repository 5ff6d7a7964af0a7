"""The one array that the rows of one leaf are gathered into."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .leaf import new_empty, require_padding_fits, to_cpu, write
from .padding import fill_rows, longest
from .wording import count

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .leaf import Leaf


class ResultArray:
    """Hold `(num_rows, ...)` of one dtype on the CPU, as wide as the widest rows seen.

    Memory is allocated once and touched as rows are written. Only wider rows than ever before
    need a second array, beside the first while it is copied.

    Args:
        path: What the array is called in errors.
        first: The first rows; they give dtype, number of dimensions and kind (torch or numpy).
        num_rows: How many rows the whole will have.
        padding_index: What fills the rest of shorter rows.
    """

    def __init__(self, path: str, first: Leaf, num_rows: int, padding_index: complex) -> None:
        self.path = path
        self.padding_index = padding_index
        self.array = new_empty(to_cpu(first[:0]), (num_rows, *first.shape[1:]))

    def require_fit(self, rows: Leaf) -> None:
        """Refuse rows that this array cannot take, before anything is written.

        Raises:
            TypeError: A numpy array meets tensors, or the dtype is not that of the first rows.
            ValueError: The number of dimensions is not that of the first rows, or lengths differ
                and the padding does not fit the dtype.
        """
        if isinstance(rows, torch.Tensor) != isinstance(self.array, torch.Tensor):
            raise TypeError(
                f"{self.path}: expected a {type(self.array).__name__} as in the first chunk, "
                f"got a {type(rows).__name__}."
            )
        if rows.dtype != self.array.dtype:
            raise TypeError(
                f"{self.path}: expected {self.array.dtype} as in the first chunk, got {rows.dtype}."
            )
        if rows.ndim != self.array.ndim:
            raise ValueError(
                f"{self.path}: expected {count(self.array.ndim, 'dimension')} as in the first "
                f"chunk, got {rows.ndim} (shape {tuple(rows.shape)})."
            )
        if rows.shape[1:] != self.array.shape[1:]:
            require_padding_fits(self.path, self.array, self.padding_index)

    def widen(self, rows: Leaf, written: Iterable[slice]) -> None:
        """Make room for wider rows; `written` are the parts that hold rows already."""
        width = longest(self.path, tuple(self.array.shape), tuple(rows.shape))
        if width == tuple(self.array.shape[1:]):
            return
        narrow, self.array = self.array, new_empty(self.array, (self.array.shape[0], *width))
        for part in written:
            fill_rows(self.path, self.array, part, narrow[part], self.padding_index)

    def write_rows(self, place: slice, rows: Leaf) -> None:
        """Write rows to `place`; those for which it has no room, repeated samples, are dropped."""
        room = place.stop - place.start
        fill_rows(self.path, self.array, place, rows[:room], self.padding_index)

    def pad_rows(self, part: slice) -> None:
        """Fill rows that were never given with the padding."""
        require_padding_fits(self.path, self.array, self.padding_index)
        write(self.array, (part,), self.padding_index)
