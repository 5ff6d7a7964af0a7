"""TD803: the ranks start with different parameters."""

from collections.abc import Iterator

from ...facts import DistributedFacts, LoadFacts, RankFacts
from ...report import Problem, Severity
from ..rank_words import by_rank, differ
from ..registry import Undecided, check
from ..wording import count_of, quoted_list

AVERAGED_BY_CODE = "the code"
SEED = (
    "look for a seed that depends on the rank, or weights loaded on one rank alone; build the "
    "model first, and seed by rank after that."
)
HARMLESS = (
    "harmless where the script wraps the model afterwards (DistributedDataParallel, "
    "accelerator.prepare), which sends rank 0's parameters to all."
)


@check("TD803", Severity.ERROR)
def ranks_hold_different_parameters(
    distributed: DistributedFacts, load: LoadFacts | None = None
) -> Iterator[Problem]:
    """The ranks start with different parameters.

    tdebug seeds all ranks alike before it builds the model, so this comes from the code: a seed
    that depends on the rank, weights that only one rank loads, random numbers that only one uses.

    An error where the model is wrapped already, or the code averages gradients itself; else a
    remark, for most scripts wrap the model afterwards, which sends rank 0's parameters to all. A
    model that has other parameters on every rank is an error in any case.

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
    if any(rank.is_sharded for rank in distributed.ranks):
        raise Undecided("because each rank holds a part of the parameters")
    if len(digests) <= 1:
        return
    sender = _sender(distributed, load)
    if sender:
        raise Undecided(f"because {sender} sends rank 0's parameters to all")
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
        is_final = any(_stays_so(rank) for rank in distributed.ranks)
        yield Problem(
            f"the ranks hold different values in {count_of(len(odd), len(first), 'parameter')}: "
            f"{quoted_list(odd)}.",
            where=f"after building the model on {len(digests)} ranks under the same seed",
            hint=SEED if is_final else f"{HARMLESS} Else: {SEED}",
            location=load.place_of(("model",)) if load else None,
            severity=None if is_final else Severity.INFO,
            values={"parameters": odd},
        )


def _sender(distributed: DistributedFacts, load: LoadFacts | None) -> str:
    """Who makes the ranks equal when training begins, "" where nobody is known to."""
    if load is not None and load.part("trainer") is not None:
        return "the Trainer"
    is_lightning = any(rank.data and rank.data.is_sharded_later for rank in distributed.ranks)
    return "Lightning" if is_lightning else ""


def _stays_so(rank: RankFacts) -> bool:
    """Whether nothing will send rank 0's parameters to all: it was done, or the code averages."""
    training = rank.training
    return rank.is_wrapped or (training is not None and training.averaged_by == AVERAGED_BY_CODE)
