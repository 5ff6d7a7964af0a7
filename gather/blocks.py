"""How a dataset is cut into one block a process, all of the same length."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Blocks:
    """Cut `num_samples` into `num_blocks` contiguous blocks whose length is a multiple.

    The blocks may reach past the end of the dataset: what lies there are repeated samples.

    >>> Blocks(num_samples=16, num_blocks=3, multiple_of=2).length
    6
    """

    num_samples: int
    num_blocks: int
    multiple_of: int

    @property
    def length(self) -> int:
        """The number of rows of each block, repeated ones included."""
        rounds = math.ceil(self.num_samples / (self.num_blocks * self.multiple_of))
        return rounds * self.multiple_of

    def samples(self, block: int, start: int, stop: int) -> slice:
        """Turn rows of one block into samples of the dataset, without the repeated ones."""
        first = block * self.length
        return slice(min(first + start, self.num_samples), min(first + stop, self.num_samples))


def require_at_least(name: str, number: int, least: int) -> int:
    """Give the number back, or raise a TypeError or ValueError that names it."""
    if not hasattr(number, "__index__"):
        raise TypeError(f"{name} must be a whole number, got {number!r}.")
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {number}.")
    return number
