"""TD807: the ranks do not meet in the same collective, or bring arrays that do not fit."""

from collections.abc import Iterator

from ...facts import DistributedFacts
from ...facts.distributed import RankCall
from ...report import Problem, Severity
from ..rank_words import by_rank, differ
from ..registry import check


@check("TD807", Severity.ERROR)
def collective_would_hang(distributed: DistributedFacts) -> Iterator[Problem]:
    """The ranks do not meet in the same collective, or bring arrays that do not fit.

    Before each collective of all ranks (`all_gather`, `all_reduce`, `barrier`, ...) they tell each
    other where they are and what they hand over, so that it is found without a hang.

    Why it matters:
        `all_gather` of uneven shapes hangs, crashes, or gives wrong rows in silence, as the
        backend likes. A collective that one rank does not reach hangs until the communication
        timeout.

    How to fix it:
        Pad to one shape before gathering (`accelerator.pad_across_processes`,
        `tdebug.gather.gather_uneven`), give all ranks the same number of batches, and keep
        collectives out of `if rank == 0`.
    """
    calls = next((rank.calls for rank in distributed.ranks if rank.calls), ())
    if not calls or any(rank.failures or rank.death for rank in distributed.ranks):
        return
    if differ(call.operation for call in calls) or not calls[0].operation:
        message = f"the ranks do not meet: {by_rank({c.rank: _where(c) for c in calls})}."
        hint = (
            "every rank must come to the same collectives in the same order: look for a branch on "
            "the rank, or a loop with another number of batches on each rank."
        )
    else:
        arrays = by_rank({call.rank: ", ".join(call.arrays) for call in calls})
        message = f"{calls[0].operation} gets arrays of different shapes: {arrays}."
        hint = (
            "pad to one shape first (accelerator.pad_across_processes, or "
            "tdebug.gather.gather_uneven, which takes uneven ones)."
        )
    places = {call.rank: call.place for call in calls if call.operation}
    yield Problem(
        message,
        where=by_rank(places) if places else "",
        hint=hint,
        location=next((call.location for call in calls if call.location is not None), None),
        values={"calls": {str(c.rank): [c.operation, c.place, *c.arrays] for c in calls}},
    )


def _where(call: RankCall) -> str:
    return f"in {call.operation}" if call.operation else f"at {call.place}"
