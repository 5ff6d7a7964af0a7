"""From what is left of a worker to the `Death` that the checks read."""

from __future__ import annotations

import signal
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..events import Death
from ..observe.user_code import is_own, shown_path
from ..report import Location
from ..source_line import source_line
from .link import LOST
from .stack_text import FATAL, is_library, read_faulthandler, write_stack

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .black_box import Position


def death_by_exit(at: Position, returncode: int, faulthandler_text: str) -> Death:
    """The process ended before it was done.

    Args:
        at: Where it was.
        returncode: As subprocess has it: the exit code, or minus the number of a signal.
        faulthandler_text: What faulthandler wrote.
    """
    if returncode == LOST:
        return death_by_silence(at)
    if returncode >= 0:
        stack = shown_stack(read_faulthandler(faulthandler_text))
        return Death(at.stage, "exit", returncode, f"exit code {returncode}", at.doing, stack)
    # Without these words, what faulthandler wrote is of an earlier moment.
    stack = shown_stack(read_faulthandler(faulthandler_text)) if FATAL in faulthandler_text else ""
    return Death(at.stage, "signal", -returncode, _signal_name(-returncode), at.doing, stack)


def death_by_exception(at: Position, left: dict[str, Any]) -> Death:
    """The user's code raised what ends a process: SystemExit, KeyboardInterrupt, MemoryError.

    Args:
        at: Where it was.
        left: The data of a `Kind.LEFT` message.
    """
    stack = shown_stack(Location(file, line, function) for file, line, function in left["frames"])
    name, code = left["name"], None
    if name == "SystemExit":
        code = left["code"]
        name = f"exit code {code}"
    return Death(at.stage, "exit", code, name, at.doing, stack)


def death_by_timeout(at: Position, limit_s: float, faulthandler_text: str) -> Death:
    """The stage was not over in time."""
    stack = shown_stack(read_faulthandler(faulthandler_text))
    return Death(at.stage, "timeout", None, f"no end within {limit_s:g} s", at.doing, stack)


def death_by_silence(at: Position) -> Death:
    """The pipe is closed though the process lives, or lived when it found that out."""
    return Death(at.stage, "lost", None, "its pipe was closed", at.doing)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


def shown_stack(frames: Iterable[Location]) -> str:
    """The stack with source lines and without tdebug's own frames."""
    return write_stack(
        replace(
            frame,
            file=frame.file if is_library(frame) else shown_path(frame.file),
            code=source_line(frame.file, frame.line),
        )
        for frame in frames
        if not is_own(frame.file) and frame.file != "<string>"
    )
