"""Python stacks as text: faulthandler's, and the one that a `Death` carries.

A `Death` carries its stack innermost last, one line a frame, with the source below it where
that could be read:

      File "train_setup.py", line 12 in build_model
        return load_weights("weights.bin")
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..report import Location

if TYPE_CHECKING:
    from collections.abc import Iterable

FATAL = "Fatal Python error"
THREAD = re.compile(
    r"^(?P<which>Current thread|Thread|Stack)\b.*\(most recent call first\):$", re.MULTILINE
)
FRAME = re.compile(
    r'^ +File "(?P<file>.*)", line (?P<line>\d+) in (?P<function>.*)(?:\n {4}(?P<code>.+))?$',
    re.MULTILINE,
)
ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")
LIBRARY = re.compile(r"^<|[/\\](site|dist)-packages[/\\]|[/\\]lib(64)?[/\\]python3\.\d+t?[/\\]")


def read_faulthandler(text: str) -> list[Location]:
    """The frames of the thread that matters, innermost last.

    That is the thread that crashed or was asked, or where native code without a Python stack
    crashed, the main thread, which faulthandler writes last.
    """
    report = text[max(text.rfind(FATAL), 0) :]
    marks = list(THREAD.finditer(report))
    ends = [*(mark.start() for mark in marks[1:]), len(report)]
    stacks = {
        mark["which"]: read_stack(_unescape(report[mark.end() : end]))
        for mark, end in zip(marks, ends, strict=bool(marks))
    }
    found = (stacks.get(which) for which in ("Current thread", "Stack", "Thread"))
    return next(filter(None, found), [])[::-1]


def read_stack(text: str) -> list[Location]:
    """The frames in the order in which they stand."""
    return [
        Location(match["file"], int(match["line"]), match["function"], match["code"])
        for match in FRAME.finditer(text)
    ]


def read_traceback(text: str) -> list[Location]:
    r"""The frames of a stack as the module `traceback` writes it, in the order in which they stand.

    >>> [str(f) for f in read_traceback('  File "train.py", line 3, in step\n    loss = 1\n')]
    ['train.py:3']
    """
    return read_stack(re.sub(r'^( +File ".*", line \d+), in ', r"\1 in ", text, flags=re.MULTILINE))


def user_frames(stack: str) -> tuple[Location, ...]:
    """The frames of a `Death`'s stack that are the user's, else all, innermost last.

    >>> mine, torchs = Location("train.py", 3, "step"), Location("/site-packages/nn.py", 7, "add")
    >>> [str(frame) for frame in user_frames(write_stack([mine, torchs]))]
    ['train.py:3']
    """
    frames = read_stack(stack)
    return tuple([frame for frame in frames if not is_library(frame)] or frames)


def write_stack(frames: Iterable[Location]) -> str:
    """The text that `read_stack` reads."""
    return "\n".join(_write_frame(frame) for frame in frames)


def _write_frame(frame: Location) -> str:
    text = f'  File "{frame.file}", line {frame.line} in {frame.function}'
    return f"{text}\n    {frame.code}" if frame.code else text


def is_library(frame: Location) -> bool:
    """Whether the frame is Python's or an installed package's, by its path alone."""
    return LIBRARY.search(frame.file) is not None


def _unescape(text: str) -> str:
    """Undo faulthandler's way to write all that is not ASCII."""
    return ESCAPE.sub(lambda match: chr(int(match[1] or match[2] or match[3], 16)), text)
