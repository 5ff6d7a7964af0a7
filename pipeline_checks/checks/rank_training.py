"""The training steps of several ranks, set side by side."""

from collections.abc import Mapping, Sequence

from ..facts import DistributedFacts
from ..facts.distributed import RankTraining
from .rank_words import differ
from .registry import Undecided


def trained_ranks(distributed: DistributedFacts) -> dict[int, RankTraining]:
    """The ranks that took training steps together; none where there are not several.

    Raises:
        Undecided: They could take none.
    """
    trained = {r.rank: r.training for r in distributed.ranks if r.training is not None}
    if len(trained) <= 1:
        return {}
    first = next(iter(trained.values()))
    if first.why_not:
        raise Undecided(f"because {first.why_not}")
    return trained


def parted_names(
    digests: Sequence[Mapping[str, object]], trained: Mapping[int, RankTraining]
) -> list[str]:
    """The parameters that began equal on all ranks, and of which the ranks now hold other digests.

    Args:
        digests: For each rank, what it holds of each parameter.
        trained: The ranks.
    """
    return [
        name
        for name in digests[0]
        if all(name in held for held in digests)
        and not differ(training.before.get(name) for training in trained.values())
        and differ(held[name] for held in digests)
    ]
