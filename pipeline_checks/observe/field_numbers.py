"""The numbers of one field over all samples: range, mean, distinct values, what is not finite."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import torch

from ..facts.samples import BadValue, ValueCount

MAX_DISTINCT = 1000
UNSIGNED = (torch.uint16, torch.uint32)  # torch counts and compares only the narrowest one


@dataclass
class Moments:
    """Mean and spread of numbers that come in parts, each merged into the rest.

    The sum of squares alone would cancel for large numbers that differ little (timestamps). Merging
    as in Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm" (1979), eq. 1.5.
    """

    num: int = 0
    mean: float = 0.0
    _spread: float = 0.0

    def add(self, numbers: torch.Tensor) -> None:
        """Take more numbers, float64."""
        num, mean = numbers.numel(), float(numbers.mean())
        spread = float((numbers - mean).square().sum())
        total, delta = self.num + num, mean - self.mean
        self._spread += spread + delta * delta * self.num * num / total
        self.mean += delta * num / total
        self.num = total

    @property
    def std(self) -> float:
        """The standard deviation, divided by the number of values."""
        return math.sqrt(self._spread / self.num) if self.num else 0.0


@dataclass
class FieldNumbers:
    """Takes the numbers of one sample after the other.

    Attributes:
        low: The smallest finite number and its sample.
        high: The largest finite number and its sample.
        moments: Mean and spread of the finite numbers.
        num_zero_rows: Samples in which every number is 0.
        first_zero_row: The first of them.
    """

    low: tuple[float, int] | None = None
    high: tuple[float, int] | None = None
    moments: Moments = field(default_factory=Moments)
    num_zero_rows: int = 0
    first_zero_row: int | None = None
    _bad: dict[str, list[Any]] = field(default_factory=dict)
    _values: dict[int, list[int]] | None = field(default_factory=dict)
    _is_whole: bool = True

    def take(self, numbers: torch.Tensor, index: int) -> None:
        """Look at the numbers of one sample; there is at least one."""
        numbers = _comparable(numbers)
        low, high = _range(numbers)
        if not (math.isfinite(low) and math.isfinite(high)):
            self._note_bad(numbers, index)
            numbers = numbers[numbers.isfinite()]
            if not numbers.numel():
                return
            low, high = _range(numbers)
        if self.low is None or low < self.low[0]:
            self.low = (low, index)
        if self.high is None or high > self.high[0]:
            self.high = (high, index)
        if low == high == 0.0:
            self.num_zero_rows += 1
            self.first_zero_row = index if self.first_zero_row is None else self.first_zero_row
        self._note_distinct(numbers, index)
        self.moments.add(numbers.to(torch.float64))

    def _note_bad(self, numbers: torch.Tensor, index: int) -> None:
        for kind, mask in (
            ("nan", numbers.isnan()),
            ("inf", numbers.isposinf()),
            ("-inf", numbers.isneginf()),
        ):
            count = int(mask.sum())
            if count:
                position = tuple(mask.nonzero()[0].tolist())
                entry = self._bad.setdefault(kind, [0, 0, index, position])
                entry[0] += 1
                entry[1] += count

    def _note_distinct(self, numbers: torch.Tensor, index: int) -> None:
        if self._is_whole and numbers.is_floating_point():
            self._is_whole = bool((numbers == numbers.round()).all())
        if not self._is_whole or self._values is None:
            self._values = None
            return
        if numbers.numel() > 1:
            numbers = numbers.unique()  # type: ignore[no-untyped-call] # torch leaves it untyped
        for value in numbers.reshape(-1)[: MAX_DISTINCT + 1].tolist():
            entry = self._values.setdefault(int(value), [0, index])
            entry[0] += 1
        if len(self._values) > MAX_DISTINCT:
            self._values = None

    @property
    def is_whole(self) -> bool:
        """Whether there are numbers and every one is whole."""
        return self._is_whole and self.moments.num > 0

    @property
    def bad(self) -> tuple[BadValue, ...]:
        """What was not finite."""
        return tuple(BadValue(k, n, total, i, p) for k, (n, total, i, p) in self._bad.items())

    @property
    def values(self) -> tuple[ValueCount, ...]:
        """The distinct whole numbers, smallest first."""
        return tuple(ValueCount(v, n, i) for v, (n, i) in sorted((self._values or {}).items()))


def _comparable(numbers: torch.Tensor) -> torch.Tensor:
    """The same numbers in a dtype that torch can compare and count."""
    if numbers.is_complex():
        numbers = torch.view_as_real(numbers)
    if numbers.is_floating_point() or numbers.dtype is torch.uint64:
        return numbers.to(torch.float64)
    return numbers.to(torch.int64) if numbers.dtype in {torch.bool, *UNSIGNED} else numbers


def _range(numbers: torch.Tensor) -> tuple[float, float]:
    low, high = numbers.aminmax()
    return float(low), float(high)
