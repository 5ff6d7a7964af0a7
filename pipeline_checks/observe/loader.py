"""Look at the loader, its collate function and its tokenizer."""

from __future__ import annotations

import multiprocessing
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

from ..facts.loader import LoaderFacts
from .collate_function import (
    PADDED_BY,
    collate_kind,
    collate_location,
    collate_name,
    masks_tokens,
    unwrapped_collate,
)
from .tokenizer import known_tokenizer, tokenizer_facts, tokenizer_handed_over

if TYPE_CHECKING:
    from ..pipeline.parts import Pipeline
    from .user_code import UserCode

SHUFFLING = (RandomSampler, SubsetRandomSampler, WeightedRandomSampler)


def look_at_loader(pipeline: Pipeline, code: UserCode) -> LoaderFacts:
    """What the loader is. Nothing is drawn from it."""
    loader: Any = pipeline.dataloader
    dataset = getattr(loader, "dataset", pipeline.dataset)
    sampler = sampler_of(loader)
    collate = getattr(loader, "collate_fn", None)
    workers = int(getattr(loader, "num_workers", 0) or 0)
    is_iterable = isinstance(dataset, IterableDataset) or not hasattr(type(dataset), "__getitem__")
    return LoaderFacts(
        type=type(loader).__name__,
        is_made_up="dataloader" in pipeline.made_up,
        batch_size=batch_size_of(loader),
        drop_last=_drops_last(loader),
        is_shuffled=_is_shuffled(sampler, is_iterable=is_iterable),
        sampler=type(sampler).__name__ if sampler is not None else "",
        num_weights=len(sampler.weights) if isinstance(sampler, WeightedRandomSampler) else None,
        masks_tokens=masks_tokens(collate),
        num_workers=workers,
        start_method=start_method_of(loader) if workers else "",
        collate=collate_name(collate),
        collate_kind=collate_kind(collate),
        pads=PADDED_BY.get(collate_name(collate), ()),
        num_batches=_length(loader),
        num_samples=_length(dataset),
        is_iterable=is_iterable,
        yields_batches=not isinstance(loader, DataLoader) or loader.batch_sampler is None,
        has_tokenizer=tokenizer_handed_over(pipeline) is not None,
        needs_padding=getattr(unwrapped_collate(collate), "tokenizer", None) is not None,
        trainer=pipeline.trainer is not None,
        collate_location=collate_location(collate, code),
        **tokenizer_facts(known_tokenizer(pipeline)),
    )


def sampler_of(loader: Any) -> Any:
    """Who decides the order: the sampler, or a batch sampler of the user's that has none inside."""
    batches = getattr(loader, "batch_sampler", None)
    sampler = getattr(batches, "sampler", None)
    # `or` would ask the sampler for its length, which a dataset without one cannot give.
    if sampler is None and batches is not None and not isinstance(batches, BatchSampler):
        return batches  # the loader's own `sampler` is then a default that nothing asks
    return sampler if sampler is not None else getattr(loader, "sampler", None)


def _drops_last(loader: Any) -> bool:
    batch_sampler = getattr(loader, "batch_sampler", None)
    return bool(getattr(batch_sampler, "drop_last", getattr(loader, "drop_last", False)))


def batch_size_of(loader: Any) -> int | None:
    """Samples a batch, None where the loader does not say."""
    size = getattr(getattr(loader, "batch_sampler", None), "batch_size", None) or getattr(
        loader, "batch_size", None
    )
    return int(size) if isinstance(size, int) else None


def _is_shuffled(sampler: Any, *, is_iterable: bool) -> bool | None:
    if isinstance(sampler, SHUFFLING):
        return True
    if isinstance(sampler, SequentialSampler):
        return False
    if is_iterable or sampler is None:
        return None
    shuffle = getattr(sampler, "shuffle", None)
    return shuffle if isinstance(shuffle, bool) else None


def start_method_of(loader: Any) -> str:
    """`fork`, `spawn` or `forkserver`: how its workers start."""
    context = getattr(loader, "multiprocessing_context", None)
    if context is not None:
        return str(context.get_start_method())
    return (
        multiprocessing.get_start_method(allow_none=True)
        or multiprocessing.get_context().get_start_method()
    )


def _length(thing: Any) -> int | None:
    try:
        return len(thing)
    except Exception:  # noqa: BLE001 - the user's __len__ may raise anything
        return None
