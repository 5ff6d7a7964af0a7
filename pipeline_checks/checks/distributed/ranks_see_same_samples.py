"""TD802: every rank reads the same samples."""

from collections.abc import Iterator

from ...facts import DistributedFacts, LoadFacts
from ...facts.distributed import RankData
from ...report import Location, Problem, Severity
from ..rank_words import rank_list
from ..registry import Undecided, check
from ..wording import count, count_of

# Of one rank's samples; padding repeats a few in any case.
SAME_SHARE = 0.9
# Fingerprints of values that repeat within one rank tell nothing.
DISTINCT_SHARE = 0.9
# Torch's own wrappers deal nothing out.
DEALERS = ("accelerate", "composer", "deepspeed", "ignite", "Lightning", "ray")


@check("TD802", Severity.ERROR)
def ranks_see_same_samples(
    distributed: DistributedFacts, load: LoadFacts | None = None
) -> Iterator[Problem]:
    """Every rank reads the same samples.

    The samples of one pass of each rank are compared, by index, or by their values where the
    loader has no indices. A few that are repeated to make the ranks even do not count. Undecided
    where the script names a library that deals samples out, and has not given it the loader yet.

    Why it matters:
        N processes then compute what one would, N times: an epoch takes as long as without them,
        the batch is as large as on one, and nothing says so.

    How to fix it:
        Give the loader `sampler=DistributedSampler(dataset)` and call its `set_epoch`, or let a
        library shard it (`accelerator.prepare(loader)`, a Trainer). A stream deals its files or
        samples out itself, by `torch.distributed.get_rank()` and the world size.
    """
    passes = {rank.rank: rank.data for rank in distributed.ranks if rank.data is not None}
    if len(passes) <= 1:
        return
    data = next(iter(passes.values()))
    if data.is_made_up:
        raise Undecided("because the loader is one that tdebug made")
    if data.is_sharded_later:
        raise Undecided("because Lightning deals the samples out when it trains")
    dealers = _dealers(distributed)
    if dealers and not data.is_prepared:
        raise Undecided(
            f"because {dealers[0]} may deal the samples out when it is given the loader"
        )
    found = _overlap({rank: one for rank, one in passes.items() if _is_telling(one, len(passes))})
    if found is None:
        return
    first, other, num_same, num_seen = found
    chosen_by = f", chosen by {data.sampler}" if data.are_indices and data.sampler else ""
    yield Problem(
        f"{rank_list([first, other])} read the same samples: rank {other} sees "
        f"{count_of(num_same, num_seen, 'sample')} that rank {first} sees{chosen_by}.",
        where=f"one pass over the loader: {count(data.num_batches, 'batch', 'batches')}",
        hint=_hint(data, len(passes)),
        location=_place(data, load),
        values={"same": num_same, "seen": num_seen, "ranks": [first, other]},
    )


def _dealers(distributed: DistributedFacts) -> list[str]:
    """The libraries that deal samples out in a part of the script that was not run."""
    return [name for rank in distributed.ranks[:1] for name in rank.mentions if name in DEALERS]


def _is_telling(data: RankData, num_ranks: int) -> bool:
    distinct = set(data.samples)
    return len(distinct) > num_ranks and len(distinct) >= DISTINCT_SHARE * len(data.samples)


def _overlap(passes: dict[int, RankData]) -> tuple[int, int, int, int] | None:
    """The first two ranks that read the same: their numbers, samples in common, samples seen."""
    for first, one in passes.items():
        for other, another in passes.items():
            if other <= first:
                continue
            seen = set(another.samples)
            same = len(seen & set(one.samples))
            if same >= SAME_SHARE * len(seen):
                return first, other, same, len(seen)
    return None


def _hint(data: RankData, num_ranks: int) -> str:
    if data.are_indices:
        return (
            "the loader is not told of the ranks: give it sampler=DistributedSampler(dataset), or "
            "hand it to accelerator.prepare."
        )
    return (
        "the dataset does not deal its samples out: let each rank yield its own only, the samples "
        f"or files whose number i has i % {num_ranks} == torch.distributed.get_rank()."
    )


def _place(data: RankData, load: LoadFacts | None) -> Location | None:
    """The loader that draws the indices, or the class of the stream."""
    if data.are_indices and load is not None:
        return load.place_of(("dataloader", "dataset"))
    return data.location
