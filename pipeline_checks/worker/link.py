"""The child's end of the pipes."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from .messages import GO, Kind, Message
from .reserve import release_reserve

if TYPE_CHECKING:
    from collections.abc import Callable

LOST = 113  # the exit code of a child whose pipe the user's code has closed
_exit = os._exit  # kept, since user code may replace it


class Link:
    """Speaks to the parent, in the name of one process alone.

    A fork of the child (a loader's worker, a `fork` of the user's) has the same object; it is
    not heard, keeps no pipe open, and ends where it would take the parent's orders.

    Args:
        orders: The file descriptor that orders come from.
        messages: The file descriptor that messages go to.
    """

    def __init__(self, orders: int, messages: int) -> None:
        self._orders, self._messages = orders, messages
        self._pid = os.getpid()
        self._identity = _identity(messages)
        for descriptor in (orders, messages):
            os.set_inheritable(descriptor, False)  # noqa: FBT003 - it is positional-only
        os.register_at_fork(after_in_child=self._close)

    def read_job(self) -> str:
        """The first line that the parent writes."""
        pieces: list[bytes] = []
        while not pieces or not pieces[-1].endswith(b"\n"):
            pieces.append(os.read(self._orders, 2**16) or _leave(LOST))
        return b"".join(pieces).decode()

    def wait_for_go(self) -> bool:
        """Wait until the parent wants the next stage; False if it wants none."""
        if os.getpid() != self._pid:
            _exit(0)
        try:
            return os.read(self._orders, 1) == GO
        except OSError:
            _leave(LOST)

    def send(self, kind: Kind, write_body: Callable[[], str]) -> None:
        """Send one message.

        Args:
            kind: What it is.
            write_body: Writes its JSON; called again with the reserve if memory runs out.
        """
        if os.getpid() != self._pid:
            return
        try:
            self._write(kind, write_body)
        except MemoryError:
            if not release_reserve():
                raise
            self._write(kind, write_body)

    def _write(self, kind: Kind, write_body: Callable[[], str]) -> None:
        rest = memoryview(f"{Message(kind, write_body())}\n".encode())
        try:
            if _identity(self._messages) != self._identity:
                _leave(LOST)  # the number now belongs to a file of the user's
            while rest:
                rest = rest[os.write(self._messages, rest) :]
        except OSError:  # closed by the user's code, or the parent is gone
            _leave(LOST)

    def _close(self) -> None:
        for descriptor in (self._orders, self._messages):
            with suppress(OSError):  # the user's code has closed it
                os.close(descriptor)


def _identity(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino


def _leave(code: int) -> NoReturn:
    _exit(code)
