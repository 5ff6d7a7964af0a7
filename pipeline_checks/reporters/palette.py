"""Colours and symbols of the terminal report, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..report import Severity, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

SEVERITY_STYLE = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.INFO: "bold blue",
}
STATUS_STYLE = {
    Status.PASSED: "green",
    Status.FAILED: "bold red",
    Status.SKIPPED: "dim",
    Status.ERRORED: "bold magenta",
}
CRASHED = "bold magenta"
QUIET = "dim"
BAD = "bold red"
CLOSE = "yellow"


@dataclass(frozen=True)
class Symbols:
    """The symbols that stand for something.

    Attributes:
        marks: What became of a stage.
        dot: Between two facts on a line.
        bar: Before a line that the user's code printed.
        block: One cell of a bar that shows a size.
        times: Between a thing and how many times as large it is.
        cut: Where the middle of a name is left out.
    """

    marks: Mapping[Status, str]
    dot: str
    bar: str
    block: str
    times: str
    cut: str


UNICODE = Symbols(
    marks={
        Status.PASSED: "\N{CHECK MARK}",
        Status.FAILED: "\N{BALLOT X}",
        Status.SKIPPED: "\N{EN DASH}",
        Status.ERRORED: "!",
    },
    dot=" \N{MIDDLE DOT} ",
    bar="\N{BOX DRAWINGS LIGHT VERTICAL}",
    block="\N{BLACK SQUARE}",
    times="\N{MULTIPLICATION SIGN}",
    cut="\N{HORIZONTAL ELLIPSIS}",
)
ASCII = Symbols(
    marks={Status.PASSED: "+", Status.FAILED: "x", Status.SKIPPED: "-", Status.ERRORED: "!"},
    dot=" - ",
    bar="|",
    block="#",
    times="x",
    cut="...",
)
