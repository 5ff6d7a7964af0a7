"""The numbers of a whole column, in one pass: range, distinct values, what is not finite."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from ..facts.samples import BadValue, ValueCount
from .field_numbers import MAX_DISTINCT, UNSIGNED

if TYPE_CHECKING:
    from collections.abc import Callable

    from .column import Column

# Numbers looked at between two looks at the clock; 16 MB in float32.
CHUNK = 4_000_000
MAX_COUNTED = 10_000_000
MAX_SPAN = 1_000_000


class Clock:
    """Seconds that may be spent on something."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def is_spent(self) -> bool:
        """Whether they have gone by."""
        return time.monotonic() > self._end


@dataclass(frozen=True)
class ColumnNumbers:
    """What a whole column holds.

    Attributes:
        num_rows: How many rows it has.
        low: The smallest finite number and its row, None without any.
        high: The largest finite number and its row.
        is_whole: Whether every finite number is known to be whole.
        values: Distinct whole numbers where each row holds one, () where there are over 1,000.
        bad: What is not finite; `index` is the row.
    """

    num_rows: int
    low: tuple[float, int] | None
    high: tuple[float, int] | None
    is_whole: bool
    values: tuple[ValueCount, ...] = ()
    bad: tuple[BadValue, ...] = ()


def read_column(column: Column, clock: Clock) -> ColumnNumbers | None:
    """What the column holds; None for one without numbers or where the time is over."""
    numbers = column.numbers
    if numbers is None or not numbers.numel() or clock.is_spent:
        return None
    reader = _Reader(_row_finder(column))
    size = max(1, numbers[0].numel())
    step = max(1, CHUNK // size)
    for start in range(0, len(numbers), step):
        if start and clock.is_spent:
            return None
        reader.take(_comparable(numbers[start : start + step]), start)
    is_scalar = size == 1 and column.offsets is None
    num_rows = len(numbers if column.offsets is None else column.offsets[1:])
    is_whole = reader.is_whole and not numbers.is_complex()
    is_whole = is_whole and (is_scalar or not numbers.is_floating_point())
    values = () if clock.is_spent or not (is_whole and is_scalar) else _count(numbers, reader)
    return ColumnNumbers(num_rows, reader.low, reader.high, is_whole, values, reader.bad)


def _row_finder(column: Column) -> Callable[[int], int]:
    offsets = column.offsets
    if offsets is None:
        return lambda position: position
    return lambda position: int(torch.searchsorted(offsets, position, right=True)) - 1


def _comparable(numbers: torch.Tensor) -> torch.Tensor:
    """The same numbers in a dtype that torch can compare; copied only where it must be."""
    if numbers.is_complex():
        return torch.view_as_real(numbers.resolve_conj())
    if numbers.dtype is torch.uint64:
        return numbers.to(torch.float64)
    return numbers.to(torch.int64) if numbers.dtype in {torch.bool, *UNSIGNED} else numbers


@dataclass
class _Reader:
    """Takes a column chunk by chunk."""

    row_of: Callable[[int], int]
    low: tuple[float, int] | None = None
    high: tuple[float, int] | None = None
    is_whole: bool = True
    _bad: dict[str, list[Any]] = field(default_factory=dict)

    def take(self, chunk: torch.Tensor, start: int) -> None:
        low, high = (bound.item() for bound in chunk.aminmax())
        finite = chunk
        if not (math.isfinite(low) and math.isfinite(high)):
            self._note_bad(chunk, start)
            finite = chunk[chunk.isfinite()]
            if not finite.numel():
                return
            low, high = (bound.item() for bound in finite.aminmax())
        if self.low is None or low < self.low[0]:
            self.low = (low, self._first(chunk == low, start)[0])
        if self.high is None or high > self.high[0]:
            self.high = (high, self._first(chunk == high, start)[0])
        if self.is_whole and chunk.is_floating_point():
            self.is_whole = bool((finite == finite.round()).all())

    def _first(self, mask: torch.Tensor, start: int) -> tuple[int, tuple[int, ...]]:
        """The row of the first place that is marked, and where in that row it is."""
        row, *position = mask.nonzero()[0].tolist()
        return self.row_of(start + row), tuple(position)

    def _note_bad(self, chunk: torch.Tensor, start: int) -> None:
        marks = (("nan", chunk.isnan()), ("inf", chunk.isposinf()), ("-inf", chunk.isneginf()))
        for kind, mask in marks:
            number = int(mask.sum())
            if number:
                entry = self._bad.setdefault(kind, [0, 0, *self._first(mask, start)])
                entry[0] += int(mask.reshape(len(mask), -1).any(dim=1).sum())
                entry[1] += number

    @property
    def bad(self) -> tuple[BadValue, ...]:
        return tuple(BadValue(kind, *entry) for kind, entry in self._bad.items())


def _count(numbers: torch.Tensor, reader: _Reader) -> tuple[ValueCount, ...]:
    """The distinct whole numbers of a column with one a row."""
    if reader.low is None or reader.high is None or len(numbers) > MAX_COUNTED:
        return ()
    low, high = int(reader.low[0]), int(reader.high[0])
    if high - low >= MAX_SPAN:
        return ()
    flat = numbers.reshape(-1)
    rows = torch.arange(len(flat))
    if reader.bad:
        rows = rows[flat.isfinite()]
        flat = flat[rows]
    codes = flat.to(torch.int64) - low
    counts = torch.bincount(codes, minlength=high - low + 1)
    found = counts.nonzero().flatten()
    if len(found) > MAX_DISTINCT:
        return ()
    first = torch.full_like(counts, len(numbers)).scatter_reduce_(0, codes, rows, "amin")
    taken = zip(found.tolist(), counts[found].tolist(), first[found].tolist(), strict=True)
    return tuple(ValueCount(code + low, number, row) for code, number, row in taken)
