"""Which field of the samples is which column: the one that agrees with all that was read."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .column import Column
    from .column_numbers import ColumnNumbers

MAX_NUMBERS = 2_000
MAX_FIRST, MAX_LATEST = 16, 32


@dataclass
class KeptValues:
    """Some of the values that a field was read with: single numbers, the first and latest others.

    Odd samples are read last, at most as many as are kept.
    """

    _numbers: list[tuple[int, torch.Tensor]] = field(default_factory=list)
    _latest: deque[tuple[int, torch.Tensor]] = field(
        default_factory=lambda: deque(maxlen=MAX_LATEST)
    )

    def take(self, index: int, numbers: torch.Tensor) -> None:
        """Keep a value, or let it go."""
        if len(self._numbers) < (MAX_NUMBERS if numbers.numel() == 1 else MAX_FIRST):
            self._numbers.append((index, numbers))
        else:
            self._latest.append((index, numbers))

    @property
    def _values(self) -> list[tuple[int, torch.Tensor]]:
        return [*self._numbers, *self._latest]

    @property
    def is_constant(self) -> bool:
        """Whether all values are alike, so that many a column agrees with them."""
        (_, first), *others = self._values
        return all(_are_same(first, value) for _, value in others)

    def agree_with(self, column: torch.Tensor) -> bool:
        """Whether each value is what the column, `(rows, ...)`, has in its row."""
        values = self._values
        return bool(values) and all(
            index < len(column) and _are_same(value, column[index]) for index, value in values
        )


def _are_same(value: torch.Tensor, entry: torch.Tensor) -> bool:
    """Whether they hold the same numbers, in the precision of `value`."""
    if value.shape != entry.shape and not value.numel() == entry.numel() == 1:
        return False
    entry, value = entry.reshape(value.shape), value.cpu()
    entry = entry.to(value.dtype if value.is_floating_point() else torch.float64)
    value = value if value.is_floating_point() else value.to(torch.float64)
    return bool(((value == entry) | ((value != value) & (entry != entry))).all())  # noqa: PLR0124 - nan


def find_column(
    kept: KeptValues, path: str, found: Sequence[tuple[Column, ColumnNumbers]]
) -> ColumnNumbers | None:
    """The numbers of the column that a field surely is, None where there is none or doubt.

    Args:
        kept: Values that the field was read with.
        path: The field.
        found: The columns with a row a sample, and what they hold.
    """
    fitting = [
        (column, numbers)
        for column, numbers in found
        if column.offsets is None
        and column.numbers is not None
        and column.path in {None, path}
        and kept.agree_with(column.numbers)
    ]
    certain = [numbers for column, numbers in fitting if column.path == path]
    if certain:
        return certain[0]
    if not fitting or kept.is_constant or len({numbers for _, numbers in fitting}) > 1:
        return None
    return fitting[0][1]
