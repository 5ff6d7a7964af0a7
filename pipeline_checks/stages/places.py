"""Which samples of a dataset are read."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..pipeline.draw import rows_drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..pipeline.parts import Pipeline

# A few samples from the end: a `__len__` that is too large shows there.
NUM_FROM_END = 8
# A quarter is read in between: what is wrong often stands together (a second source of data that
# was appended, one shard, one class of sorted ones), and any block of 3 % then holds one of 64.
SPREAD = 4


def indices_to_read(length: int, samples: int | None) -> list[int]:
    """The first samples, some in between and a few of the end, `samples` in all; or every one.

    Those in between are drawn one from each of equal parts, the same ones every time.

    >>> indices_to_read(5, 256)
    [0, 1, 2, 3, 4]
    >>> indices_to_read(1000, 10)[:6], indices_to_read(1000, 10)[-2:]
    ([0, 1, 2, 3, 4, 5], [998, 999])
    >>> len(indices_to_read(1000, 10)), len(indices_to_read(10_000, None))
    (10, 10000)
    """
    if samples is None or length <= samples:
        return list(range(length))
    from_end, between = min(NUM_FROM_END, samples // 5), samples // SPREAD
    first = samples - from_end - between
    edges = [
        first + (length - from_end - first) * part // max(1, between) for part in range(between + 1)
    ]
    chance = random.Random(length)  # noqa: S311 - no secret
    spread = [chance.randrange(*pair) for pair in pairwise(edges)]
    return [*range(first), *spread, *range(length - from_end, length)]


def rows_of_loader(pipeline: Pipeline, dataset: Any, length: int) -> Sequence[int] | None:
    """The rows of the dataset that the loader draws, None where that is not known."""
    loader = pipeline.dataloader
    # A Trainer hands its loader a copy of the dataset without the columns that nobody takes.
    is_its_own = getattr(loader, "dataset", None) is dataset or pipeline.trainer is not None
    return (rows_drawn(loader, length) or None) if is_its_own else None
