"""The loader that tdebug makes around a dataset that came without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import DataLoader, IterableDataset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..session import Settings
    from .parts import Pipeline


def make_loader(pipeline: Pipeline, settings: Settings) -> DataLoader[Any]:
    """A loader in dataset order, unless the settings ask for another.

    Raises:
        Exception: Whatever the dataset's own `__len__` raises, or torch over a dataset without one.
    """
    dataset = pipeline.dataset
    options: dict[str, Any] = {
        "batch_size": settings.batch_size,
        "num_workers": settings.num_workers,
        "drop_last": settings.drop_last,
        "collate_fn": pipeline.collate_fn,
    }
    if isinstance(dataset, IterableDataset):
        return DataLoader(dataset, **options)
    if not hasattr(type(dataset), "__getitem__"):
        return DataLoader(Iterated(dataset), **options)
    generator = torch.Generator().manual_seed(settings.seed)
    return DataLoader(dataset, shuffle=settings.shuffle, generator=generator, **options)


class Iterated(IterableDataset[Any]):
    """An iterable that is no IterableDataset, made one so that a DataLoader takes it."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def __iter__(self) -> Iterator[Any]:
        return iter(self.dataset)
