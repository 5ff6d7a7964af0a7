"""How a rank finds its pipes: the launcher hands none down, so it asks at a socket of tdebug's."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self

ADDRESS = "TDEBUG_RANK_SOCKET"  # an environment variable
NUM_DESCRIPTORS = 4
LONGEST_ADDRESS = 100  # bytes; the limit of a Unix socket is 104 on macOS, 108 on Linux


@dataclass(frozen=True)
class Caller:
    """A rank that has asked for its pipes.

    Attributes:
        rank: Its rank.
        pid: Its process.
        connection: Where it waits for them.
    """

    rank: int
    pid: int
    connection: socket.socket

    def give(self, descriptors: tuple[int, int, int, int]) -> None:
        """Give it the descriptors that `ask_for_pipes` returns."""
        with self.connection:
            socket.send_fds(self.connection, [b"p"], descriptors)


class RankSocket:
    """The parent's end, in a folder that nobody else can enter."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="tdebug"))
        if len(os.fsencode(self.address)) > LONGEST_ADDRESS:
            self._folder.rmdir()
            self._folder = Path(tempfile.mkdtemp(prefix="tdebug", dir="/tmp"))
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(self.address))
        self._socket.listen()

    @property
    def address(self) -> Path:
        """Where ranks ask."""
        return self._folder / "s"

    def wait_for_caller(self, seconds: float) -> Caller | None:
        """The next rank that asks; None if none does within so long."""
        self._socket.settimeout(seconds)
        try:
            connection = self._socket.accept()[0]
        except TimeoutError:
            return None
        connection.settimeout(None)
        rank, pid = connection.recv(64).split()
        return Caller(int(rank), int(pid), connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def ask_for_pipes(address: str, rank: int) -> list[int]:
    """The rank's ends of orders, messages and output, and its black box."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        connection.sendall(f"{rank} {os.getpid()}".encode())
        return socket.recv_fds(connection, 1, NUM_DESCRIPTORS)[1]
