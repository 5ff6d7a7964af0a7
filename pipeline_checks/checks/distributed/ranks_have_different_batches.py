"""TD801: the ranks have different numbers of batches."""

from collections.abc import Iterator

from ...facts import DistributedFacts
from ...facts.distributed import RankData
from ...report import Problem, Severity
from ..rank_words import by_rank, differ, rank_list
from ..registry import Undecided, check
from ..wording import count


@check("TD801", Severity.ERROR)
def ranks_have_different_batches(distributed: DistributedFacts) -> Iterator[Problem]:
    """The ranks have different numbers of batches.

    Each rank was asked for one pass over its loader, and the batches were counted; no gradient was
    exchanged, so nothing had to hang to find it.

    Why it matters:
        The gradients of a step are averaged over all ranks. A rank that has no batch left does not
        come to that step, and the others wait for it until the communication timeout, mostly 10
        or 30 minutes, at the end of the first epoch.

    How to fix it:
        Give every rank the same number: drop the tail (`drop_last=True` does that for each rank
        alone, so cut to the shortest), pad it by repeating samples (DistributedSampler does), or
        train within `torch.distributed.algorithms.Join`. Streams that are dealt out by files are
        even only where the files are.
    """
    passes = {rank.rank: rank.data for rank in distributed.ranks if rank.data is not None}
    if not differ(data.num_batches for data in passes.values()):
        return
    if not all(data.is_whole for data in passes.values()):
        raise Undecided("because a pass over the loader is too long to count its batches")
    numbers = {rank: data.num_batches for rank, data in passes.items()}
    told = by_rank({rank: _told(data) for rank, data in passes.items()})
    most, fewest = max(numbers.values()), min(numbers.values())
    waiting = [rank for rank, number in numbers.items() if number == most]
    yield Problem(
        f"the ranks have different numbers of batches: {told}.",
        where=f"{rank_list(waiting)} would wait in the backward pass of batch {fewest} (counted "
        f"from 0), for which another rank has no data",
        hint="give each rank the same number of batches: cut all to "
        f"{fewest}, pad the shorter shards, or train within torch's Join context.",
        location=next(iter(passes.values())).location,
        values={"batches": {str(rank): number for rank, number in numbers.items()}},
    )


def _told(data: RankData) -> str:
    return f"{count(data.num_batches, 'batch', 'batches')} ({count(data.num_samples, 'sample')})"
