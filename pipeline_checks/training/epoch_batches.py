"""The batches of an epoch, put together to updates."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def group_batches(batches: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Lists of `size` batches; the last holds what is left over, so that its mean is right.

    >>> list(group_batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    iterator = iter(batches)
    while group := list(itertools.islice(iterator, size)):
        yield group


def count_batches(batches: Iterable[Any]) -> int | None:
    """How many batches there are, None where that is not known.

    >>> count_batches("abcde"), count_batches(iter("abcde"))
    (5, None)
    """
    try:
        return len(batches)  # type: ignore[arg-type]  # without a length it raises the TypeError
    except TypeError:  # also of a DataLoader over an iterable dataset
        return None
