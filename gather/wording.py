"""Numbers and ranks in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def count(number: int, noun: str) -> str:
    """Give a number of things in words.

    >>> count(1, "row"), count(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def name_ranks(ranks: Iterable[int]) -> str:
    """Name ranks in words.

    >>> name_ranks([2]), name_ranks([0, 1, 2])
    ('rank 2', 'ranks 0, 1 and 2')
    """
    *others, last = map(str, sorted(ranks))
    return f"ranks {', '.join(others)} and {last}" if others else f"rank {last}"
