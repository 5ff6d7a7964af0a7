"""Standard output: how wide it is, whether it takes colour, and writing to it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

from ..pipeline_checks.reporters.look import Look
from .errors import OptionError

if TYPE_CHECKING:
    from ..pipeline_checks.report import Severity

WIDTH = 100
# Longer lines are hard to read, however wide the terminal is.
WIDEST = 120


def look_of_stdout(*, color: bool | None = None, fail_on: Severity | None = None) -> Look:
    """How text on standard output is to look.

    Args:
        color: The user's wish; None for what the terminal can do.
        fail_on: The least severity that counts as a failure.

    Raises:
        OptionError: Standard output is closed.
    """
    stream = _require_stdout()
    look = Look(
        width=_width(stream),
        color=_has_color(stream) if color is None else color,
        ascii_only=not is_unicode(stream),
    )
    return look if fail_on is None else Look(look.width, look.color, look.ascii_only, fail_on)


def is_unicode(stream: TextIO) -> bool:
    """Whether the stream can encode any character."""
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")


def write_to_stdout(text: str) -> None:
    """Write the text; what cannot be encoded is escaped, and a reader that has left is no error.

    Raises:
        OptionError: Standard output is closed, or its disk is full.
    """
    stream = _require_stdout()
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:  # `tdebug check | head`; else Python complains once more at its exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise OptionError("standard output", f"it cannot be written: {error.strerror}.") from error


def _require_stdout() -> TextIO:
    stream: TextIO | None = sys.stdout  # None where the shell closed it
    if stream is None:
        raise OptionError("standard output", "it is closed.", "Write to a file with --output.")
    return stream


def _has_color(stream: TextIO) -> bool:
    """https://no-color.org and https://force-color.org, then what the terminal is."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _width(stream: TextIO) -> int:
    if not stream.isatty():
        return WIDTH
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except OSError:
        return WIDTH
    return min(columns or WIDTH, WIDEST)
