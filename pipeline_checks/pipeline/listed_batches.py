"""The batches of a whole pass as lists of indices, of which a few are wanted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MAX_COUNTED = 1_000_000


@dataclass
class ListedBatches:
    """Takes the batches of a pass one after the other.

    Attributes:
        max_batches: How many of the first ones are wanted.
        rows: Samples whose batches are wanted too.
        is_counting: Whether to look how often each sample is drawn.
        chosen: The wanted ones by their numbers, but for the last one of the pass.
        last: The number and indices of the last one, None before the first.
    """

    max_batches: int
    rows: frozenset[int]
    is_counting: bool
    chosen: dict[int, list[Any]] = field(default_factory=dict)
    last: tuple[int, list[Any]] | None = None
    _drawn: set[int] = field(default_factory=set)
    _num_drawn: int = 0

    def take(self, number: int, indices: list[Any]) -> None:
        """Take the next batch."""
        if self.last is not None:
            before, earlier = self.last
            if before < self.max_batches or self._holds_row(earlier):
                self.chosen[before] = earlier
        self.last = (number, indices)
        if self.is_counting:
            self._count(indices)

    def _holds_row(self, indices: list[Any]) -> bool:
        return bool(self.rows) and any(index in self.rows for index in indices)

    def _count(self, indices: list[Any]) -> None:
        self._num_drawn += len(indices)
        self.is_counting = self._num_drawn <= MAX_COUNTED and all(
            isinstance(index, int) for index in indices
        )
        if self.is_counting:
            self._drawn.update(indices)

    def is_each_once(self, length: int) -> bool | None:
        """Whether each of so many samples was drawn once, but for those of a last batch.

        None where nobody counted.
        """
        if not self.is_counting or self.last is None:
            return None
        return self._num_drawn == len(self._drawn) > length - max(1, len(self.last[1]))
