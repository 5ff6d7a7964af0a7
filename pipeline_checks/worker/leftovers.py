"""Processes that the user's code started and that escaped the worker's process group."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

MARK = "TDEBUG_WORKER"  # an environment variable that all descendants of a worker inherit
MOST_ROUNDS = 10  # a process may have forked while we looked; more than that is no accident


def new_mark() -> str:
    """A value of `MARK` that no other worker has."""
    return os.urandom(16).hex()


def kill_marked(mark: str) -> None:
    """Kill every process with this mark, also those in a session of their own.

    Does nothing where there is no /proc (macOS): there the process group is all that is known.
    """
    for _ in range(MOST_ROUNDS):
        found = _find_marked(mark)
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            return


def _find_marked(mark: str) -> list[int]:
    wanted = f"{MARK}={mark}".encode()
    return [
        int(process.name)
        for process in Path("/proc").glob("[0-9]*")
        if wanted in _read_environment(process)
    ]


def _read_environment(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:  # gone, or another user's
        return b""
