"""What is left of a worker that died: a note of what it was doing, and its Python stack.

A file that both sides hold open and no folder lists; `recorder` is the child's end.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from dataclasses import dataclass

from ..report import STAGES, Stage
from .recorder import PAGE_BYTES

MOST_STACK_BYTES = 2**20
STACK_WAIT_S = 1.0  # a stack is written within milliseconds, or never
POLL_S = 0.02


@dataclass(frozen=True)
class Position:
    """Where the worker was.

    Attributes:
        stage: The stage at work.
        doing: What was being done, "" where unknown.
    """

    stage: Stage
    doing: str = ""


class BlackBox:
    """The parent's end of the record that a worker leaves."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._file.truncate(PAGE_BYTES)
        self._file.seek(PAGE_BYTES)  # the child shares this position, so the stack begins here

    @property
    def descriptor(self) -> int:
        """The file descriptor to pass to the child."""
        return self._file.fileno()

    def close(self) -> None:
        """Forget all of it."""
        self._file.close()

    def read_position(self) -> Position:
        """Where the child is, or was."""
        page = os.pread(self.descriptor, PAGE_BYTES, 0).partition(b"\0")[0]
        stage, *texts = page.decode("utf-8", "replace").split("\n")
        is_known = stage in STAGES  # not before the first; not while the child is writing
        return Position(Stage(stage) if is_known else Stage.LOAD, ", ".join(filter(None, texts)))

    def read_stack(self, begin: int = 0) -> str:
        """What faulthandler wrote, from this offset on."""
        written = os.pread(self.descriptor, MOST_STACK_BYTES, PAGE_BYTES + begin)
        return written.decode("ascii", "replace")

    def ask_for_stack(self, pid: int) -> str:
        """Have a living child write its stack; "" if it does not within a second."""
        begin = len(self.read_stack())
        seen = ""
        os.kill(pid, signal.SIGUSR1)
        for _ in range(int(STACK_WAIT_S / POLL_S)):
            time.sleep(POLL_S)
            before, seen = seen, self.read_stack(begin)
            if seen and seen == before:
                break
        return seen
