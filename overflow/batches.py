"""Which batch a forward belongs to."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True)
class Batch:
    """The batch that a forward belongs to.

    Attributes:
        number: Its number from 0; None for a forward that counts as none, such as an evaluation.
        previous: Number of the last batch that was counted before; None before the first.
        is_counted: Whether the forward is what moved the count.
        trains: Whether gradients may come of it: it is counted, or part of a block of the user's
            with gradients enabled.
    """

    number: int | None
    previous: int | None = None
    is_counted: bool = False
    trains: bool = False

    @property
    def text(self) -> str:
        """How the batch is named in the report, e.g. `batch_number=3`."""
        if self.number is not None:
            return f"batch_number={self.number}"
        if self.previous is None:
            return "a forward before batch_number=0"
        return f"a forward after batch_number={self.previous}"


class BatchCounter:
    """Counts batches from 0: outermost forwards with gradients, or blocks of the user's own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = 0
        self._block: int | None = None

    @property
    def last(self) -> int | None:
        """Number of the last batch that began, None before the first."""
        if self._block is not None:
            return self._block
        return self._next - 1 if self._next else None

    def begin_forward(
        self, *, counts: bool, is_recomputation: bool, has_gradients: bool = True
    ) -> Batch:
        """Give the batch of a forward that begins.

        Args:
            counts: It is an outermost forward of the watched model with gradients enabled.
            is_recomputation: It runs inside a backward, as in gradient checkpointing.
            has_gradients: Gradients are enabled; inside a block the forward of any part trains.
        """
        with self._lock:
            last = self.last
            if self._block is not None or is_recomputation:
                return Batch(last, last, trains=has_gradients and not is_recomputation)
            if not counts:
                return Batch(None, last)
            self._next += 1
            return Batch(self._next - 1, last, is_counted=True, trains=True)

    @contextmanager
    def block(self, number: int | None) -> Iterator[int]:
        """Make all forwards inside one batch; without a number, the next."""
        with self._lock:
            if self._block is not None:
                raise RuntimeError(f"batch({number}) was opened inside batch({self._block}).")
            self._block = self._next if number is None else number
            current = self._block
        try:
            yield current
        finally:
            with self._lock:
                self._block = None
                self._next = current + 1


def parse_batches(text: str) -> tuple[range, ...]:
    """Read batch numbers as people write them: `1,3`, `0-5` (5 included), `10-100:10` (a step).

    Args:
        text: Numbers and ranges, separated by commas.

    Returns:
        One range for each part; `contains_batch` asks all of them.

    Raises:
        ValueError: A part is no number and no range; the sentence repeats it.

    Example:
        >>> [list(part) for part in parse_batches("1,3-5,10-30:10")]
        [[1], [3, 4, 5], [10, 20, 30]]
    """
    return tuple(_parse_part(part.strip(), text) for part in text.split(","))


def contains_batch(ranges: Iterable[range], number: int) -> bool:
    """Tell whether any of the ranges holds the number."""
    return any(number in part for part in ranges)


def _parse_part(part: str, text: str) -> range:
    span, _, step = part.partition(":")
    first, dash, last = span.partition("-")
    try:
        numbers = (int(first), int(last) if dash else int(first), int(step) if step else 1)
    except ValueError:
        raise ValueError(
            f"{part!r} in {text!r} is no batch: write 1,3 or 0-5 or 10-100:10."
        ) from None
    if numbers[0] > numbers[1] or numbers[2] < 1:
        raise ValueError(f"{part!r} in {text!r} holds no batch.")
    return range(numbers[0], numbers[1] + 1, numbers[2])
