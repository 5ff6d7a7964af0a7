"""One rank, seen from the parent: a worker that the launcher has started."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from .pipes import WorkerPipes

if TYPE_CHECKING:
    from .launch import Launch
    from .rank_link import Caller

REAP_S = 3.0
POLL_S = 0.02


class RankProcess(WorkerPipes):
    """A rank that has asked for its pipes.

    Args:
        caller: The rank, as it has asked.
        launch: What started it, and knows its exit code.
    """

    def __init__(self, caller: Caller, launch: Launch) -> None:
        self.rank, self.pid = caller.rank, caller.pid
        self._caller, self._launch = caller, launch
        super().__init__()

    def _hand_over(self, descriptors: tuple[int, int, int, int]) -> None:
        self._caller.give(descriptors)

    @property
    def is_alive(self) -> bool:
        """Whether the process exists; one that has ended exists until the launcher looks."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def poll(self) -> int | None:
        """The exit code, or minus the number of the signal that ended it; None while it lives."""
        return None if self.is_alive else self._launch.exit_code_of(self.rank)

    def kill(self) -> None:
        """End this rank; the launcher then ends the others."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        end = time.monotonic() + REAP_S
        while self.is_alive and time.monotonic() < end:
            time.sleep(POLL_S)

    def ask_for_stack(self) -> str:
        """What faulthandler writes about a rank that lives."""
        with suppress(ProcessLookupError):
            return self.black_box.ask_for_stack(self.pid)
        return ""

    def close(self) -> None:
        """Forget the pipes."""
        self._ours.close()
