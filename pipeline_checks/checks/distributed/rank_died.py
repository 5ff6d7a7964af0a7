"""TD805: the process of a rank ended."""

from collections.abc import Iterator

from ...events import Death
from ...facts import DistributedFacts
from ...report import Problem, Severity
from ...worker.stack_text import user_frames
from ..rank_words import rank_list
from ..registry import check


@check("TD805", Severity.ERROR)
def rank_died(distributed: DistributedFacts) -> Iterator[Problem]:
    """The process of a rank ended before it was done.

    The rank is named whose process ended by itself, not those that noticed, or that the launcher
    then ended.

    Why it matters:
        The launcher ends all ranks when one has died, and its report blames whoever it saw first.

    How to fix it:
        What the rank was doing stands beside it, with its last line where that could be had. A
        rank that is killed (SIGKILL) had mostly run out of memory: N ranks need N times as much.
    """
    others = [r.rank for r in distributed.ranks if r.was_ended]
    for rank in distributed.dead:
        death = rank.death
        if death is None or death.kind == "timeout":
            continue
        stack = user_frames(death.stack)
        yield Problem(
            f"rank {rank.rank} of {distributed.num_ranks} {_how(death)}.",
            where=death.doing,
            hint=_hint(death, others),
            location=stack[-1] if stack else None,
            stack=stack,
            values={"rank": rank.rank, "kind": death.kind, "name": death.name},
        )


def _how(death: Death) -> str:
    if death.kind == "lost":
        return f"is gone ({death.name})"
    if death.kind == "exit" and death.number is not None:
        return f"ended its own process with {death.name}"
    return f"was ended by {death.name}"


def _hint(death: Death, others: list[int]) -> str:
    ended = f"{rank_list(others)} had to be ended for it. " if others else ""
    if death.name == "SIGKILL":
        return (
            f"{ended}Most likely the memory ran out (`dmesg` tells): every rank needs its own copy."
        )
    return f"{ended}Look at what this rank does and the others do not."
