"""The lines that cross the worker's pipes: a word that says what kind of line it is, then JSON.

The parent writes one job, then one `GO` for each stage that ended; the child writes the rest.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Kind(str, Enum):
    """What a line from the child is."""

    READY = "ready"  # the child's own part is set up; what follows is the job's
    EVENT = "event"  # one event, as `facts.codec` writes it
    LEFT = "left"  # the user's code ended the run by an exception that means just that
    CRASH = "crash"  # tdebug itself raised; a traceback
    DONE = "done"  # all stages are over


GO = b"g"


@dataclass(frozen=True)
class Message:
    """One line from the child."""

    kind: Kind
    body: str = "null"

    def __str__(self) -> str:
        return f"{self.kind.value} {self.body}"

    def data(self) -> Any:
        """The body as data."""
        return json.loads(self.body)


def read_message(line: str) -> Message:
    """The message that `str` wrote.

    Raises:
        ValueError: It is none.
    """
    word, _, body = line.partition(" ")
    return Message(Kind(word), body)


class LineCutter:
    r"""Cuts what comes through a pipe into lines; what is not yet a whole line waits.

    >>> cutter = LineCutter()
    >>> cutter.cut(b"one\ntw"), cutter.cut(b"o\n")
    (['one'], ['two'])
    """

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def cut(self, chunk: bytes) -> list[str]:
        """The lines that this chunk completes."""
        head, newline, rest = chunk.rpartition(b"\n")
        if not newline:
            self._pieces.append(chunk)
            return []
        whole = b"".join((*self._pieces, head))
        self._pieces = [rest] if rest else []
        return [line.decode("utf-8", "replace") for line in whole.split(b"\n")]
