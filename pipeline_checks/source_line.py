"""The text of a line of source code, as findings show it."""

from __future__ import annotations

import linecache

MAX_LENGTH = 300  # generated and minified code has lines of megabytes


def source_line(file: str, line: int | None) -> str | None:
    """The line without its indent, its end cut off where it is long; None where there is none."""
    text = linecache.getline(file, line).strip() if line else ""
    if len(text) > MAX_LENGTH:
        return f"{text[:MAX_LENGTH]} ..."
    return text or None
