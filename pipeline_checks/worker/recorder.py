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
        self._stage = ""
        faulthandler.enable(descriptor)
        self.listen()
        os.register_at_fork(after_in_child=_record_on_stderr)
        _record_exits(descriptor, self._pid)

    def listen(self) -> None:
        """Write the stack when the parent asks, also after the user's code took SIGUSR1."""
        faulthandler.unregister(signal.SIGUSR1)  # else registering again would change nothing
        faulthandler.register(signal.SIGUSR1, self._descriptor)

    def note(self, text: str, stage: str = "") -> None:
        """Note what is being done, and in which stage if another than the last event said."""
        if os.getpid() == self._pid:
            self._stage = stage or self._stage
            note = f"{self._stage}\n{text}".encode("utf-8", "replace")[: PAGE_BYTES - 1]
            self._page[: len(note) + 1] = note + b"\0"

    def forget_note(self) -> None:
        """An event has said it all."""
        self._stage = ""
        self.note("")


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
