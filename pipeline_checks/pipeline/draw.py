"""Draw batches so that every value knows its sample."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from torch.utils.data import (
    BatchSampler,
    DataLoader,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

from ..observe.loader import batch_size_of, sampler_of
from .listed_batches import ListedBatches

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

MAX_LISTED = 200_000
# Their indices are whole numbers.
OF_TORCH = (RandomSampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler)
# Samplers of torch, accelerate and transformers that draw every row, on one rank or another.
OF_ALL_ROWS = frozenset(
    {
        "DistributedSampler",
        "SeedableRandomSampler",
        "LengthGroupedSampler",
        "DistributedLengthGroupedSampler",
    }
)


@dataclass(frozen=True)
class Draw:
    """One batch to be made.

    Attributes:
        number: Counted from 0 in the loader's own order.
        indices: The samples in it, () where the loader does not say.
        fetch: Reads the samples; None where only `make` can be called.
        collate: Puts them together.
        make: Both in one, for loaders that must be iterated.
        is_last: Whether it is the last of a pass.
        is_each_once: Of the last one, where a sampler of the user's decides: whether the pass draws
            each sample once, but for a dropped last batch.
    """

    number: int
    indices: tuple[int, ...]
    fetch: Callable[[], list[Any]] | None
    collate: Callable[[list[Any]], Any] | None
    make: Callable[[], Any]
    is_last: bool = False
    is_each_once: bool | None = None


class EndOfDataError(Exception):
    """The loader has no more batches."""


def draws(loader: Any, max_batches: int, rows: Collection[int] = ()) -> Iterator[Draw]:
    """The first batches of the loader and the last one, each to be made when it is needed.

    Args:
        loader: The loader.
        max_batches: How many of the first ones.
        rows: Samples whose batches are wanted too, where the loader draws by index.
    """
    if is_indexed(loader):
        yield from _indexed(loader, max_batches, frozenset(rows))
    elif (
        isinstance(loader, DataLoader)
        and loader.num_workers
        and isinstance(loader.dataset, IterableDataset)
    ):
        yield from _iterated(_without_workers(loader), max_batches)
    else:
        yield from _iterated(loader, max_batches)


def may_ask_for_keys(loader: Any) -> bool:
    """Whether a sampler of the user's decides what the dataset is asked for."""
    return is_indexed(loader) and not isinstance(sampler_of(loader), OF_TORCH)


def sampled_keys(loader: Any, num: int | None) -> list[Any]:
    """What the sampler asks the dataset for where that is no whole number, else nothing.

    Datasets may be looked up by name, or by an index together with a size.
    """
    keys = (key for batch in loader.batch_sampler for key in batch)
    found = list(itertools.islice(keys, num if num is not None else MAX_LISTED))
    return [] if any(hasattr(key, "__index__") for key in found) else found


def rows_drawn(loader: Any, length: int) -> Sequence[int] | None:
    """The rows that a pass of the loader can draw; None where its sampler does not tell."""
    if not is_indexed(loader):
        return None
    batches, sampler = loader.batch_sampler, sampler_of(loader)
    if type(batches) is not BatchSampler and not _is_accelerate(batches):
        return None
    if isinstance(sampler, SubsetRandomSampler):
        return sorted({int(index) for index in sampler.indices})
    if isinstance(sampler, WeightedRandomSampler):
        rows: list[int] = sampler.weights.nonzero().flatten().tolist()
        return rows
    is_known = type(sampler) in OF_TORCH or type(sampler).__name__ in OF_ALL_ROWS
    return range(length) if is_known else None


def is_indexed(loader: Any) -> bool:
    """Whether batches can be drawn as lists of indices."""
    overrides = type(loader).__iter__ is not DataLoader.__iter__ and not _is_accelerate(loader)
    return (
        isinstance(loader, DataLoader)
        and not overrides
        and loader.batch_sampler is not None
        and not isinstance(loader.dataset, IterableDataset)
    )


def _is_accelerate(thing: Any) -> bool:
    return type(thing).__module__.startswith("accelerate.")


def _indexed(loader: Any, max_batches: int, rows: frozenset[int]) -> Iterator[Draw]:
    listed = ListedBatches(max_batches, rows, type(sampler_of(loader)) not in OF_TORCH)
    for number, indices in enumerate(itertools.islice(loader.batch_sampler, MAX_LISTED)):
        listed.take(number, [int(i) if hasattr(i, "__index__") else i for i in indices])
    for number, chosen in listed.chosen.items():
        yield _draw_indices(loader, number, chosen)
    if listed.last is not None and listed.last[0] + 1 < MAX_LISTED:
        draw = _draw_indices(loader, *listed.last)
        once = listed.is_each_once(len(loader.dataset))
        yield replace(draw, is_last=True, is_each_once=once)


def _draw_indices(loader: Any, number: int, indices: list[Any]) -> Draw:
    dataset, collate = loader.dataset, loader.collate_fn

    def fetch() -> list[Any]:
        if hasattr(dataset, "__getitems__") and dataset.__getitems__:
            return list(dataset.__getitems__(indices))
        return [dataset[i] for i in indices]

    known = tuple(indices) if all(isinstance(i, int) for i in indices) else ()
    return Draw(number, known, fetch, collate, lambda: collate(fetch()))


def _iterated(loader: Any, max_batches: int) -> Iterator[Draw]:
    iterator: list[Iterator[Any]] = []

    def make() -> Any:
        if not iterator:
            iterator.append(iter(loader))
        try:
            return next(iterator[0])
        except StopIteration:
            raise EndOfDataError from None

    for number in range(max_batches):
        yield Draw(number, (), None, None, make)


def _without_workers(loader: DataLoader[Any]) -> DataLoader[Any]:
    """The same stream read in this process."""
    return DataLoader(
        loader.dataset,
        batch_size=batch_size_of(loader),
        collate_fn=loader.collate_fn,
        drop_last=loader.drop_last,
    )
