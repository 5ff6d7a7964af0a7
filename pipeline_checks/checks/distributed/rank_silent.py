"""TD806: a rank does not come to where the others wait."""

from collections.abc import Iterator

from ...facts import DistributedFacts
from ...facts.distributed import RankAbsence
from ...report import Problem, Severity
from ...worker.stack_text import user_frames
from ..rank_words import rank_list
from ..registry import check
from ..wording import number


@check("TD806", Severity.ERROR)
def rank_silent(distributed: DistributedFacts) -> Iterator[Problem]:
    """A rank does not come to where the others wait, though its process lives.

    Why it matters:
        The others wait for it in a collective, without a word, until the communication timeout;
        the error that is raised then names those who waited, not the one that did not come.

    How to fix it:
        The Python stack of the silent rank stands beside it: look for work that only this rank
        does (a download, a lock, an endless loop), or a wait for something that never comes.
    """
    silent = {a.rank: a for r in distributed.ranks for a in r.absences if a.reason == "silent"}
    for absence in silent.values():
        waiting = [r.rank for r in distributed.ranks if _waits_for(r.absences, absence.rank)]
        yield _of_absence(absence, waiting)
    if silent:
        return
    for rank in distributed.ranks:
        if rank.death is not None and rank.death.kind == "timeout":
            stack = user_frames(rank.death.stack)
            yield Problem(
                f"rank {rank.rank} came to {rank.death.name}.",
                where=rank.death.doing,
                hint="if that is no hang but work that takes so long, raise `timeout`.",
                location=stack[-1] if stack else None,
                stack=stack,
                values={"rank": rank.rank},
            )


def _waits_for(absences: tuple[RankAbsence, ...], rank: int) -> bool:
    return any(absence.rank == rank for absence in absences)


def _of_absence(absence: RankAbsence, waiting: list[int]) -> Problem:
    stack = user_frames(absence.stack)
    place = f" at {absence.place}" if absence.place else ""
    return Problem(
        f"rank {absence.rank} did not come{place} within {number(round(absence.waited_s, 1))} s, "
        f"where {rank_list(waiting)} waited.",
        where=f"rank {absence.rank} is at {stack[-1]}" if stack else absence.detail,
        hint="look at the last of its lines: what does this rank do there that others do not?",
        location=stack[-1] if stack else None,
        stack=stack,
        values={"rank": absence.rank, "waited_s": absence.waited_s},
    )
