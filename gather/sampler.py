"""Give each process one block of the dataset, in order, all of the same length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch.distributed as dist
from torch.utils.data import Sampler

from .blocks import Blocks, require_at_least
from .process_group import has_process_group

if TYPE_CHECKING:
    from collections.abc import Iterator, Sized


class SequentialDistributedSampler(Sampler[int]):
    """Deal a dataset out in contiguous blocks, one a process, for evaluation in order.

    Every process gets the same number of samples, so that none waits for a batch that another
    does not have: the dataset is repeated from its start until the blocks are full, more than
    once if there are more processes than samples. `DistributedTensorGatherer` drops the repeats.

    Args:
        dataset: Anything with a length.
        num_replicas: The number of processes; by default that of the process group.
        rank: Which of them this is; by default that of the process group.
        batch_size: Makes every block a multiple of it, so that all batches are full.

    Raises:
        ValueError: There is no process group to ask, or a number is out of range.

    >>> [list(SequentialDistributedSampler(range(4), num_replicas=3, rank=r)) for r in range(3)]
    [[0, 1], [2, 3], [0, 1]]
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        batch_size: int | None = None,
    ) -> None:
        if (num_replicas is None or rank is None) and not has_process_group():
            raise ValueError(
                "there is no process group to ask for the number of processes and the rank: call "
                "torch.distributed.init_process_group first, or give num_replicas and rank."
            )
        self.dataset = dataset
        self.num_replicas = dist.get_world_size() if num_replicas is None else num_replicas
        self.rank = dist.get_rank() if rank is None else rank
        self.batch_size = batch_size
        self._require_range()
        self.num_samples = Blocks(len(dataset), self.num_replicas, batch_size or 1).length
        self.total_size = self.num_samples * self.num_replicas

    def __iter__(self) -> Iterator[int]:
        start = self.rank * self.num_samples
        length = len(self.dataset)
        return (index % length for index in range(start, start + self.num_samples))

    def __len__(self) -> int:
        return self.num_samples

    def _require_range(self) -> None:
        require_at_least("num_replicas", self.num_replicas, 1)
        require_at_least("batch_size", 1 if self.batch_size is None else self.batch_size, 1)
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(
                f"rank must be from 0 to {self.num_replicas - 1} with {self.num_replicas} "
                f"processes, got {self.rank}."
            )
