"""The worker process, seen from the parent: its start and its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from .leftovers import MARK, kill_marked, new_mark
from .pipes import WorkerPipes

if TYPE_CHECKING:
    from typing_extensions import Self

# Not `-m`: that puts the current folder first on sys.path, where a json.py of the user's lies in
# wait. `-c` does too, but here it is taken away before anything is imported.
PROGRAM = (
    "import sys; sys.path[:] = [p for p in sys.path if p]; "
    "from tdebug.pipeline_checks.worker.{module} import main; main()"
)
GRACE_S = 2.0  # for the user's own clean-up at exit
REAP_S = 5.0


class WorkerProcess(WorkerPipes):
    """One worker process; leaving the context ends it and all that it started."""

    def __init__(self) -> None:
        self._mark = new_mark()
        super().__init__()

    def _hand_over(self, descriptors: tuple[int, int, int, int]) -> None:
        orders, messages, printed, black_box = descriptors
        arguments = (orders, messages, black_box, os.getpid())
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-c", PROGRAM.format(module="child"), *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            pass_fds=(orders, messages, black_box),
            start_new_session=True,
            env=make_environment(self._mark),
        )

    def poll(self) -> int | None:
        """The exit code, or minus the number of the signal that ended it; None while it lives."""
        return self._process.poll()

    def ask_for_stack(self) -> str:
        """What faulthandler writes about a child that lives."""
        return self.black_box.ask_for_stack(self._process.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the whole group: at once, unless the child is about to end by itself."""
        try:
            if self.is_waiting and kind is not KeyboardInterrupt:
                self._orders.close()
                self._await_end(GRACE_S)
        finally:
            self.kill()
            self._ours.close()

    def kill(self) -> None:
        """End the whole group now."""
        with suppress(ProcessLookupError, PermissionError):  # macOS refuses for a dead leader
            os.killpg(self._process.pid, signal.SIGKILL)
        self._await_end(REAP_S)
        kill_marked(self._mark)

    def _await_end(self, seconds: float) -> None:
        with suppress(subprocess.TimeoutExpired):  # the user's clean-up, or stuck in the kernel
            self._process.wait(seconds)


def make_environment(mark: str) -> dict[str, str]:
    """What a process that runs the user's code finds in its environment."""
    # Where user code insists on a GPU, the error must stand at the line that caused it.
    return {"CUDA_LAUNCH_BLOCKING": "1", **os.environ, MARK: mark}
