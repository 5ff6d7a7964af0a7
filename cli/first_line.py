"""The first line of progress, shown before anything that takes time is imported."""

from __future__ import annotations

import os
import sys

ERASE_LINE = "\r\x1b[2K"


def show_first_line(target: str | None) -> None:
    """Say on stderr that work has begun, if that is a terminal."""
    if is_live():
        name = (target or "tdebug.yaml").encode("ascii", "backslashreplace").decode("ascii")
        shown = "".join(character if character.isprintable() else "?" for character in name)
        sys.stderr.write(f"tdebug: reading {shown[-60:]} ...")
        sys.stderr.flush()


def erase_first_line() -> None:
    """Take the line away, for the live display or the report to stand in its place."""
    if is_live():
        sys.stderr.write(ERASE_LINE)
        sys.stderr.flush()


def is_live() -> bool:
    """Whether stderr is a terminal on which a line can be taken away again."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
