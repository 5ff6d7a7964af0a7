"""The launcher of the ranks, seen from the parent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from .leftovers import kill_marked, new_mark
from .process import PROGRAM, REAP_S, make_environment
from .rank_link import ADDRESS, RankSocket

if TYPE_CHECKING:
    from typing_extensions import Self

    from .rank_link import Caller

WORD_WAIT_S = 6.0  # the launcher looks ten times a second, and then ends the other ranks
POLL_S = 0.05
MOST_OUTPUT_BYTES = 2**16


class Launch:
    """Starts the ranks; leaving the context ends all of them.

    Args:
        num_ranks: How many.
    """

    def __init__(self, num_ranks: int) -> None:
        self._mark = new_mark()
        self._exit_codes: dict[int, int] | None = None
        with ExitStack() as ours:
            self._socket = ours.enter_context(RankSocket())
            self._said = ours.enter_context(tempfile.TemporaryFile())
            reading, writing = os.pipe()
            ours.callback(os.close, reading)
            os.set_blocking(reading, False)
            self._word = reading
            try:
                self._process = self._start(num_ranks, writing)
            finally:
                os.close(writing)
            self._ours = ours.pop_all()

    def _start(self, num_ranks: int, word: int) -> subprocess.Popen[bytes]:
        arguments = (num_ranks, word, os.getpid())
        environment = make_environment(self._mark)
        environment[ADDRESS] = str(self._socket.address)
        return subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-c", PROGRAM.format(module="launcher"), *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            pass_fds=(word,),
            start_new_session=True,
            env=environment,
        )

    def wait_for_caller(self, seconds: float) -> Caller | None:
        """The next rank that asks for its pipes; None if none does within so long."""
        return self._socket.wait_for_caller(seconds)

    @property
    def is_over(self) -> bool:
        """Whether the launcher has ended."""
        return self._process.poll() is not None

    def exit_code_of(self, rank: int) -> int:
        """How a rank that is gone ended: its exit code, or minus the number of a signal.

        A rank that the launcher has not called failed was ended by it, because another had failed.
        """
        end = time.monotonic() + WORD_WAIT_S
        while self._exit_codes is None and time.monotonic() < end:
            self._read_word()
            time.sleep(POLL_S)
        if not self._exit_codes:
            return 0 if self._exit_codes == {} else -signal.SIGTERM
        return self._exit_codes.get(rank, -signal.SIGTERM)

    def _read_word(self) -> None:
        with suppress(BlockingIOError):
            line = os.read(self._word, 2**16)
            if line:
                found = json.loads(line)
                self._exit_codes = {int(rank): code for rank, code in found.items()}

    def read_output(self) -> str:
        """What the launcher itself has written, for the case that it fails."""
        return os.pread(self._said.fileno(), MOST_OUTPUT_BYTES, 0).decode("utf-8", "replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(REAP_S)
        kill_marked(self._mark)
        self._ours.close()
