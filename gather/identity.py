"""Which process a rank is, and whether that process still runs."""

from __future__ import annotations

import os
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Identity:
    """The process of a rank.

    Attributes:
        host: The name of its machine, for people.
        machine: Tells machines and containers apart: equal only where process ids mean the same.
        pid: Its process id there.
    """

    host: str
    machine: str
    pid: int

    @classmethod
    def of_this_process(cls) -> Identity:
        """Say who this is."""
        host = socket.gethostname()
        return cls(host, f"{host} {_read_boot_id()} {_read_pid_namespace()}", os.getpid())

    @classmethod
    def from_word(cls, word: dict[str, Any]) -> Identity:
        """Read what `to_word` gave."""
        return cls(**word)

    def to_word(self) -> dict[str, Any]:
        """Give it as plain data, to be posted."""
        return asdict(self)

    def is_on_machine_of(self, other: Identity) -> bool:
        """Tell whether the two can see each other's process ids."""
        return self.machine == other.machine

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


def is_running(pid: int) -> bool:
    """Tell whether a process of this machine still runs; one that waits to be reaped does not.

    Not for Windows, where the question would end the process.
    """
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return _read_state(pid) not in {"Z", "X"}


def _read_state(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:  # macOS has no /proc; on Linux it went away just now
        return "X" if Path("/proc/self/stat").exists() else ""
    return stat.rpartition(")")[2].split()[0]  # the name before it may hold spaces and parentheses


def _read_boot_id() -> str:
    path = Path("/proc/sys/kernel/random/boot_id")
    return path.read_text(encoding="ascii").strip() if path.exists() else ""


def _read_pid_namespace() -> str:
    path = Path("/proc/self/ns/pid")
    return str(path.readlink()) if path.is_symlink() else ""
