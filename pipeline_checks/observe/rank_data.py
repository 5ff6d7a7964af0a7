"""Go over the training data of one rank, as far as it takes to compare it with the other ranks."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import torch

from ...gather import find_batch_size
from ..facts.distributed import RankData
from ..nested import leaves
from ..pipeline.draw import MAX_LISTED, is_indexed
from ..session import Budget
from .copies import fingerprint
from .loader import batch_size_of
from .model import definition_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..pipeline.parts import Pipeline
    from ..session import Session

MOST_BATCHES = 2000  # of a loader that must be iterated
MOST_SAMPLES = 4096  # told apart


def look_at_rank_data(session: Session, pipeline: Pipeline) -> RankData | None:
    """One pass; None where the loader asks the other ranks for every batch, and so cannot differ.

    Nothing is read where the loader draws indices.
    """
    loader: Any = pipeline.dataloader
    if type(loader).__name__ == "DataLoaderDispatcher":  # accelerate's: rank 0 reads for all
        return None
    sampler = getattr(getattr(loader, "batch_sampler", None), "sampler", None)
    dataset = getattr(loader, "dataset", pipeline.dataset)
    common: dict[str, Any] = {
        "num_total": _length(dataset),
        "batch_size": batch_size_of(loader),
        "is_made_up": "dataloader" in pipeline.made_up,
        "sampler": type(sampler).__name__ if sampler is not None else "",
        "is_sharded_later": pipeline.lightning is not None,
        "is_prepared": type(loader).__module__.startswith("accelerate."),
        "location": definition_of(type(dataset), session.code),
    }
    if is_indexed(loader):
        return _of_indices(loader, common)
    return _of_batches(loader, Budget(session.settings.budget), common)


def _of_indices(loader: Any, common: dict[str, Any]) -> RankData:
    num_batches, samples = 0, []
    for indices in itertools.islice(loader.batch_sampler, MAX_LISTED):
        num_batches += 1
        samples.extend(indices)
    return RankData(
        num_batches,
        len(samples),
        is_whole=num_batches < MAX_LISTED,
        samples=tuple(str(index) for index in samples[:MOST_SAMPLES]),
        are_indices=True,
        **common,
    )


def _of_batches(loader: Any, budget: Budget, common: dict[str, Any]) -> RankData:
    num_batches = num_samples = 0
    samples: list[str] = []
    is_whole = False
    iterator = iter(loader)
    while num_batches < MOST_BATCHES and not budget.is_spent:
        try:
            batch = next(iterator)
        except StopIteration:
            is_whole = True
            break
        num_batches += 1
        num_samples += find_batch_size(batch) or 0
        if len(samples) < MOST_SAMPLES:
            samples.extend(_fingerprints(batch))
    return RankData(num_batches, num_samples, is_whole, tuple(samples[:MOST_SAMPLES]), **common)


def _fingerprints(batch: Any) -> Iterator[str]:
    """A fingerprint of each row of a batch; nothing where it has no rows."""
    size = find_batch_size(batch)
    tensors = {
        path: leaf
        for path, leaf in leaves(batch)
        if isinstance(leaf, torch.Tensor) and leaf.dim() and leaf.shape[0] == size
    }
    for row in range(size or 0):
        mark, _ = fingerprint({path: tensor[row] for path, tensor in tensors.items()})
        if mark is not None:
            yield mark.hex()


def _length(dataset: Any) -> int | None:
    try:
        return len(dataset)
    except Exception:  # noqa: BLE001 - the user's __len__ may raise anything
        return None
