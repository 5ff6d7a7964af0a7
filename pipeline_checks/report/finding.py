"""One problem found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .severity import Severity
    from .stage import Stage


@dataclass(frozen=True)
class Location:
    """A place in source code.

    Attributes:
        file: Path as the user would write it: relative to the current folder where it lies below.
        line: Counted from 1, or None where only the file is known.
        function: The function that the line belongs to, or None.
        code: The text of the line, or None.
    """

    file: str
    line: int | None = None
    function: str | None = None
    code: str | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Problem:
    """What a check says: the facts of one problem, before the registry adds code, name and stage.

    Attributes:
        message: The fact with its measured numbers, in the user's words; no trailing advice.
        where: The place in words (`dataset[17]["labels"] = 3 (1 of 40 samples)`), or "".
        hint: What to do next, or "".
        location: The line of the user's code or spec that it is about, if known.
        severity: Overrides the check's own severity where one check has several.
        values: The measured numbers, as plain JSON data, for programs.
        stack: The user's frames of an exception, outermost first; empty where nothing was raised.
        stage: Overrides the check's stage, for what can show in any stage.
    """

    message: str
    where: str = ""
    hint: str = ""
    location: Location | None = None
    severity: Severity | None = None
    values: dict[str, Any] = field(default_factory=dict)
    stack: tuple[Location, ...] = ()
    stage: Stage | None = None


@dataclass(frozen=True)
class Finding:
    """One problem found, with the check that found it. See `Problem` for the fields they share."""

    code: str
    name: str
    stage: Stage
    severity: Severity
    message: str
    where: str = ""
    hint: str = ""
    location: Location | None = None
    values: dict[str, Any] = field(default_factory=dict)
    stack: tuple[Location, ...] = ()
