"""What can go wrong between ranks.

RankError (RuntimeError)      every error below names ranks, and is raised on all of them
├── RanksMissingError         some did not arrive: dead, failed, gone or silent (TimeoutError)
├── RanksDisagreeError        they brought different things, or are at different places (ValueError)
└── LocalMainFailedError      a local main process raised in a body that it runs first
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .wording import name_ranks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .absence import Absence


class RankError(RuntimeError):
    """Something that concerns several ranks, and that each of them is told."""


_STORE_LOST = (
    "  the store of the process group does not answer: "
    "the process that keeps it (rank 0, or the launcher) is gone"
)


class RanksMissingError(RankError, TimeoutError):
    """Ranks did not arrive where the others wait.

    Attributes:
        place: Where the others wait.
        waited_s: How long the rank that gave up first has waited, in seconds.
        absences: Who is missing, why, and with its stack where it could say.
    """

    def __init__(self, place: str, waited_s: float, absences: Sequence[Absence]) -> None:
        self.place = place
        self.waited_s = waited_s
        self.absences = tuple(absences)
        verdicts = "\n".join(f"  {absence.describe()}" for absence in absences)
        who = name_ranks(self.ranks) if absences else "a rank"
        super().__init__(
            f"{who} did not arrive at {place!r} in {waited_s:.1f} s:\n{verdicts or _STORE_LOST}"
        )

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks that are missing."""
        return tuple(absence.rank for absence in self.absences)


class RanksDisagreeError(RankError, ValueError):
    """Ranks that must do the same do not.

    Attributes:
        subject: What they differ in.
        by_rank: What each rank has, in words.
    """

    def __init__(self, place: str, subject: str, by_rank: Mapping[int, str]) -> None:
        self.subject = subject
        self.by_rank = dict(by_rank)
        lines = "\n".join(f"  {name_ranks(ranks)}: {what}" for what, ranks in _group(by_rank))
        super().__init__(f"the ranks differ at {place!r} in {subject}:\n{lines}")


class LocalMainFailedError(RankError):
    """A local main process raised in the body that it runs before the others.

    Attributes:
        failures: The error of each local main that failed, in words.
    """

    def __init__(self, failures: Mapping[int, str]) -> None:
        self.failures = dict(failures)
        what = "; ".join(f"rank {rank}: {error}" for rank, error in failures.items())
        super().__init__(
            f"a local main process failed in what the others wait for, so none goes on ({what})."
        )


def _group(by_rank: Mapping[int, str]) -> list[tuple[str, list[int]]]:
    groups: dict[str, list[int]] = {}
    for rank, what in sorted(by_rank.items()):
        groups.setdefault(what, []).append(rank)
    return list(groups.items())
