"""TD803: the ranks start with different parameters."""

from collections.abc import Iterator

from ...facts import DistributedFacts, LoadFacts
from ...report import Problem, Severity
from ..rank_words import by_rank, differ
from ..registry import Undecided, check
from ..wording import count_of, quoted_list


@check("TD803", Severity.ERROR)
def ranks_hold_different_parameters(
    distributed: DistributedFacts, load: LoadFacts | None = None
) -> Iterator[Problem]:
    """The ranks start with different parameters.

    tdebug seeds all ranks alike before it builds the model, so this comes from the code: a seed
    that depends on the rank, weights that only one rank loads, random numbers that only one uses.

    Why it matters:
        Averaged gradients keep ranks equal only if they start equal. Where the code averages them
        itself, each rank trains another model, and what rank 0 saves is none of them.
        DistributedDataParallel hides it: it sends rank 0's parameters to all when it is made.

    How to fix it:
        Build the model under the same seed on every rank, and seed by rank after that (for data
        augmentation, dropout). Load weights on all ranks, or send them with
        `torch.distributed.broadcast`.
    """
    digests = {rank.rank: rank.parameters for rank in distributed.ranks if rank.parameters}
    if len(digests) <= 1:
        return
    if load is not None and load.part("trainer") is not None:
        raise Undecided("because the Trainer sends rank 0's parameters to all")
    first = next(iter(digests.values()))
    names = {rank: tuple(one) for rank, one in digests.items()}
    if differ(names.values()):
        told = by_rank({rank: f"{len(own)} parameters" for rank, own in names.items()})
        yield Problem(
            f"the ranks build different models: {told}.",
            hint="build the same model on every rank; look for what depends on the rank.",
            location=load.place_of(("model",)) if load else None,
            values={"counts": {str(rank): len(own) for rank, own in names.items()}},
        )
        return
    odd = [name for name in first if differ(one[name] for one in digests.values())]
    if odd:
        yield Problem(
            f"the ranks hold different values in {count_of(len(odd), len(first), 'parameter')}: "
            f"{quoted_list(odd)}.",
            where=f"after building the model on {len(digests)} ranks under the same seed",
            hint="look for a seed that depends on the rank, or weights loaded on one rank alone; "
            "build the model first, and seed by rank after that.",
            location=load.place_of(("model",)) if load else None,
            values={"parameters": odd},
        )
