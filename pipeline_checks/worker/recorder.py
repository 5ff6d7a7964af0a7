"""The child keeps a record for the case that it dies: what it is doing, and its Python stack.

The first page of the parent's `BlackBox` is memory that both share: a note there survives SIGKILL
and costs no system call. faulthandler writes behind it.
"""

from __future__ import annotations

import faulthandler
import mmap
import os
import signal
from typing import NoReturn

PAGE_BYTES = 4096
MOST_CHARACTERS = 500  # of each text; with 4 bytes a character both have room


class Recorder:
    """The child's end.

    Args:
        descriptor: The file descriptor of the parent's `BlackBox`.
    """

    def __init__(self, descriptor: int) -> None:
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - it is positional-only
        self._descriptor = descriptor
        self._page = mmap.mmap(descriptor, PAGE_BYTES)
        self._pid = os.getpid()
        self._stage = self._doing = ""
        faulthandler.enable(descriptor)
        self.listen()
        os.register_at_fork(after_in_child=_record_on_stderr)
        _record_exits(descriptor, self._pid)

    def listen(self) -> None:
        """Write the stack when the parent asks, also after the user's code took SIGUSR1."""
        faulthandler.unregister(signal.SIGUSR1)  # else registering again would change nothing
        faulthandler.register(signal.SIGUSR1, self._descriptor)

    def record(self, stage: str, doing: str = "") -> None:
        """Record what a stage is about to do; an earlier note is forgotten."""
        self._stage, self._doing = stage, doing
        self._write("")

    def note(self, text: str, stage: str = "") -> None:
        """Note more closely what is being done, and the stage if it is not the recorded one."""
        self._stage = stage or self._stage
        self._write(text)

    def _write(self, note: str) -> None:
        if os.getpid() != self._pid:
            return
        lines = (self._stage, self._doing, note)
        text = "\n".join(line.replace("\n", " ")[:MOST_CHARACTERS] for line in lines)
        page = text.encode("utf-8", "replace")[: PAGE_BYTES - 1] + b"\0"
        self._page[: len(page)] = page


def _record_on_stderr() -> None:
    """A fork that crashes says so in the captured output, not in the child's own record."""
    faulthandler.enable(2)
    faulthandler.unregister(signal.SIGUSR1)


def _record_exits(descriptor: int, pid: int) -> None:
    """Write the stack before `os._exit`, which leaves no other trace."""
    leave = os._exit

    def exit_on_record(status: int) -> NoReturn:
        if os.getpid() == pid:
            faulthandler.dump_traceback(descriptor, all_threads=False)
        leave(status)

    os._exit = exit_on_record
