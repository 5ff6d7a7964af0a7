"""Which samples of the dataset each batch of a loader holds, told while it is iterated."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import DataLoader

from ..nested import leaves
from ..pipeline.draw import is_indexed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..facts.watching import DetectionFact

    Listen = Callable[[Any], None]

# It reads ahead by one batch, in the order in which the batches are drawn.
SHARDED = ("accelerate.data_loader", "DataLoaderShard")


class DrawnSamples:
    """Iterates a loader and knows the samples of the batch that it gave last.

    The loader draws as it would alone: the same lists in the same order, from the same random
    states, with or without worker processes.

    Attributes:
        indices: The samples of the last batch in its order, () where the loader does not say.
    """

    def __init__(self) -> None:
        self.indices: tuple[int, ...] = ()
        self._waiting: deque[tuple[int, ...]] = deque()

    def iterate(self, loader: Iterable[Any]) -> Iterator[Any]:
        """Give the batches of the loader."""
        self._waiting.clear()
        with _told(loader, self._listen):
            batches = iter(loader)
            # Some loaders do not begin before the first batch is asked for.
            first = next(batches, self)
        if first is self:
            return
        yield self._given(first)
        for batch in batches:
            yield self._given(batch)

    def name_samples(self, found: DetectionFact, batch: Any) -> DetectionFact:
        """The detection with the samples that its rows are, where a row is a sample.

        Args:
            found: What was found in the last batch.
            batch: That batch.
        """
        origin = found.origin
        if origin is None or not origin.rows or _num_rows(batch) != len(self.indices):
            return found
        indices = tuple(self.indices[row] for row in origin.rows if row < len(self.indices))
        return replace(found, origin=replace(origin, indices=indices))

    def _listen(self, indices: Any) -> None:
        is_list = isinstance(indices, (list, tuple))
        known = is_list and all(hasattr(index, "__index__") for index in indices)
        self._waiting.append(tuple(map(int, indices)) if known else ())

    def _given(self, batch: Any) -> Any:
        self.indices = self._waiting.popleft() if self._waiting else ()
        return batch


class _ToldSampler:
    """A batch sampler that tells what it draws, and is in all else the one that it stands for."""

    def __init__(self, sampler: Any, listen: Listen) -> None:
        self._sampler, self._listen = sampler, listen

    def __iter__(self) -> Iterator[Any]:
        # Begun here and not at the first list: some samplers draw a seed when they begin.
        return self._told(iter(self._sampler))

    def __len__(self) -> int:
        return len(self._sampler)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sampler, name)

    def _told(self, lists: Iterator[Any]) -> Iterator[Any]:
        for indices in lists:
            self._listen(indices)
            yield indices


@contextmanager
def _told(loader: Any, listen: Listen) -> Iterator[None]:
    """Have the lists told that the iterations of a block draw, where they are drawn in order."""
    loader = _base_of(loader)
    if loader is None:
        yield
        return
    sampler = loader.batch_sampler
    # Past DataLoader's __setattr__, which allows nobody to exchange its sampler for good.
    loader.__dict__["batch_sampler"] = _ToldSampler(sampler, listen)
    try:
        yield
    finally:
        loader.__dict__["batch_sampler"] = sampler


def _base_of(loader: Any) -> Any:
    """The loader of torch that draws the batches, None where nobody can tell what they hold."""
    if (type(loader).__module__, type(loader).__name__) == SHARDED:
        loader = getattr(loader, "base_dataloader", loader)
    elif type(loader).__module__.startswith("accelerate."):
        return None
    if not isinstance(loader, DataLoader) or not is_indexed(loader):
        return None
    is_in_order = getattr(loader, "in_order", True) or not loader.num_workers
    return loader if is_in_order else None


def _num_rows(batch: Any) -> int | None:
    """The first dimension that most tensors of a batch have."""
    tensors = [leaf for _, leaf in leaves(batch) if isinstance(leaf, torch.Tensor) and leaf.dim()]
    sizes = Counter(tensor.shape[0] for tensor in tensors).most_common(1)
    return sizes[0][0] if sizes else None
