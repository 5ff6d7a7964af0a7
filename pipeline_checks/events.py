"""What the running stages tell the walk: plain data that also crosses the worker's pipe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from .report import Stage  # noqa: TC001 - pydantic reads the annotations when it decodes


@dataclass(frozen=True)
class StageBegan:
    """The stage has started."""

    stage: Stage


@dataclass(frozen=True)
class Progress:
    """How far the stage is, for the progress line and for the report of a dead worker.

    Attributes:
        stage: The stage at work.
        text: What is being done, in the user's words: `dataset[17]`, `batch 3`, `layers.1.wo`.
        done: Steps finished, or None where they cannot be counted.
        total: Steps in all, or None.
    """

    stage: Stage
    text: str
    done: int | None = None
    total: int | None = None


@dataclass(frozen=True)
class Observed:
    """One dataclass of `tdebug.pipeline_checks.facts`; a later one of the same type replaces it."""

    fact: Any


@dataclass(frozen=True)
class StageEnded:
    """The stage is over; the walk now decides whether to go on.

    Attributes:
        stage: The stage.
        seconds: Wall time that it took.
        summary: What was looked at, in a few words.
        skipped_because: Why nothing was looked at; "" otherwise.
    """

    stage: Stage
    seconds: float = 0.0
    summary: str = ""
    skipped_because: str = ""


@dataclass(frozen=True)
class Note:
    """A sentence for the reader of the report: a part that was made up, what the budget cut."""

    text: str


@dataclass(frozen=True)
class SpecMistake:
    """A mistake of the spec that only the worker could see: no such module, file or attribute."""

    file: str
    line: int | None
    message: str
    remedy: str = ""


@dataclass(frozen=True)
class Death:
    """The worker ended before it was done.

    Attributes:
        stage: The stage at work.
        kind: `signal`, `exit`, `timeout` or `lost`.
        number: The signal's number or the exit code, else None.
        name: `SIGSEGV`, `exit code 3`, `no end within 600 s`.
        doing: The last progress text.
        stack: The Python stack at that moment, innermost last, without tdebug's own frames; "" if
            none could be had (SIGKILL).
    """

    stage: Stage
    kind: str
    number: int | None
    name: str
    doing: str = ""
    stack: str = ""


@dataclass(frozen=True)
class Output:
    """What the user's code printed since the last one (both streams, capped)."""

    stage: Stage
    text: str


Event: TypeAlias = (
    StageBegan | Progress | Observed | StageEnded | Note | SpecMistake | Death | Output
)
