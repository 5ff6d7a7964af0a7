"""Exceptions of the user's code become facts."""

from __future__ import annotations

import builtins
import re
from typing import TYPE_CHECKING

from ..facts.exceptions import ExceptionFact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..report import Location
    from .user_code import UserCode

# Colours and cursor moves of libraries that write for a terminal.
ESCAPE_CODES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
MAX_TEXT = 4000
MAX_CAUSES = 3


def exception_fact(error: BaseException, code: UserCode, depth: int = 0) -> ExceptionFact:
    """What is kept of an exception: type, text, frames, cause."""
    frames = (*code.frames_of(error.__traceback__), *_line_of_syntax_error(error, code))
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return ExceptionFact(
        type=type_name(type(error)),
        text=_text(error),
        bases=tuple(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins"),
        frames=tuple(place for place, _ in frames),
        user_frames=tuple(place for place, is_user in frames if is_user),
        cause=exception_fact(cause, code, depth + 1) if cause and depth < MAX_CAUSES else None,
    )


def _line_of_syntax_error(error: BaseException, code: UserCode) -> Iterator[tuple[Location, bool]]:
    """The line that Python could not read, which no frame has; and whether it is the user's."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        yield code.place(error.filename, error.lineno), code.holds(error.filename)


def type_name(kind: type) -> str:
    """`ValueError`, `torch.OutOfMemoryError`."""
    is_builtin = getattr(builtins, kind.__name__, None) is kind
    if is_builtin:
        return kind.__name__
    package = str(kind.__module__).split(".", maxsplit=1)[0]
    return kind.__qualname__ if package in {"__main__", ""} else f"{package}.{kind.__qualname__}"


def _text(error: BaseException) -> str:
    try:
        text = str(error) + _inside(error)
    except Exception as broken:  # noqa: BLE001 - the user's __str__ may raise anything
        text = f"(its text could not be had: {type(broken).__name__})"
    text = ESCAPE_CODES.sub("", text)
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + " ..."


def _inside(error: BaseException) -> str:
    """The first exceptions of an ExceptionGroup, whose own text only counts them."""
    inside = getattr(error, "exceptions", None)
    if not isinstance(inside, tuple) or not all(isinstance(one, BaseException) for one in inside):
        return ""
    return ": " + "; ".join(f"{type_name(type(one))}: {one}" for one in inside[:MAX_CAUSES])
