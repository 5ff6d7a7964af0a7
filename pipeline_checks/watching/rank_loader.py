"""A rank's part of the data, where the pipeline leaves it to others to deal that out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.utils.data import (
    DataLoader,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
)

from ..pipeline.from_lightning import is_lightning_module

if TYPE_CHECKING:
    from ..pipeline.parts import Pipeline


def give_own_part(pipeline: Pipeline, rank: int, num_ranks: int, seed: int) -> bool:
    """Put a DistributedSampler into a loader that tdebug made, or that Lightning would change.

    Any other loader is the user's, and is used as it is.

    Returns:
        Whether the loader now reads this rank's part.
    """
    loader: Any = pipeline.dataloader
    is_ours = "dataloader" in pipeline.made_up or is_lightning_module(pipeline.model)
    if not is_ours or not _can_be_dealt_out(loader):
        return isinstance(find_sampler(loader), DistributedSampler)
    sampler: DistributedSampler[Any] = DistributedSampler(
        loader.dataset,
        num_ranks,
        rank,
        shuffle=isinstance(loader.sampler, RandomSampler),
        seed=seed,
    )
    pipeline.dataloader = DataLoader(
        loader.dataset,
        loader.batch_size,
        sampler=sampler,
        num_workers=loader.num_workers,
        collate_fn=loader.collate_fn,
        drop_last=loader.drop_last,
    )
    return True


def find_sampler(loader: Any) -> Any:
    """What chooses the samples of a loader, None where nothing can be found."""
    return getattr(getattr(loader, "batch_sampler", None), "sampler", None)


def _can_be_dealt_out(loader: Any) -> bool:
    if not isinstance(loader, DataLoader) or isinstance(loader.dataset, IterableDataset):
        return False
    is_plain = type(loader.sampler) in {SequentialSampler, RandomSampler}
    return is_plain and loader.batch_size is not None
