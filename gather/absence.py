"""Why a rank is not where the others wait."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypedDict


class AbsenceReason(str, Enum):
    """How a missing rank ended, or that it did not."""

    DEAD = "dead"  # its process is gone, without a word
    FAILED = "failed"  # it raised, and said so
    LEFT = "left"  # it finished, and said so
    SILENT = "silent"  # its process runs and is elsewhere


class AbsenceWord(TypedDict):
    """An absence as plain data, to be posted."""

    rank: int
    reason: str
    detail: str
    stack: str


@dataclass(frozen=True)
class Absence:
    """One missing rank.

    Attributes:
        rank: Its rank in the default group.
        reason: Whether it is dead, failed, left or silent.
        detail: Process, machine, and how this is known, in words.
        stack: The Python stack of its main thread, innermost frame last; empty where there is none.
    """

    rank: int
    reason: AbsenceReason
    detail: str
    stack: str = ""

    def describe(self) -> str:
        """Say it in one line, and the stack below it."""
        stack = "".join(f"\n    {line}" for line in self.stack.rstrip().splitlines())
        return f"rank {self.rank} {_VERBS[self.reason]}: {self.detail}{stack}"

    def to_word(self) -> AbsenceWord:
        """Give it as plain data."""
        return AbsenceWord(
            rank=self.rank, reason=self.reason.value, detail=self.detail, stack=self.stack
        )

    @classmethod
    def from_word(cls, word: AbsenceWord) -> Absence:
        """Read what `to_word` gave."""
        return cls(word["rank"], AbsenceReason(word["reason"]), word["detail"], word["stack"])


_VERBS = {
    AbsenceReason.DEAD: "is dead",
    AbsenceReason.FAILED: "failed",
    AbsenceReason.LEFT: "has left",
    AbsenceReason.SILENT: "is silent",
}
