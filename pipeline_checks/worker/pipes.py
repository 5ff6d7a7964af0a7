"""The pipes between the parent and one process that runs the user's code, seen from the parent."""

from __future__ import annotations

import os
import selectors
from contextlib import ExitStack, closing, suppress
from io import FileIO
from typing import TYPE_CHECKING, Any

from .black_box import BlackBox
from .messages import GO, LineCutter, read_message
from .output import CappedOutput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .job import Job
    from .messages import Message

CHUNK_BYTES = 2**18
MOST_WAITING_BYTES = 2**21  # more than a pipe holds: after that, what comes was not yet written


class WorkerPipes:
    """What the parent shares with one process: orders, messages, output, and the black box.

    Attributes:
        output: What the user's code printed and nobody has taken yet.
        is_waiting: True while the child waits for an order or is done, so that it can be trusted
            to end by itself.
        black_box: What is left of the child if it dies.
    """

    def __init__(self) -> None:
        if os.name != "posix":
            raise NotImplementedError("The worker needs Unix pipes and signals; use --in-process.")
        self.output = CappedOutput()
        self.is_waiting = False
        self._lines = LineCutter()
        with ExitStack() as ours, ExitStack() as childs:
            self.black_box = ours.enter_context(closing(BlackBox()))
            self._selector = ours.enter_context(selectors.DefaultSelector())
            self._ours = ours
            self._hand_over(self._open(childs))
            self._ours = ours.pop_all()

    def _hand_over(self, descriptors: tuple[int, int, int, int]) -> None:
        """Give the child its ends: of orders, messages and output, and the black box."""
        raise NotImplementedError

    def _open(self, childs: ExitStack) -> tuple[int, int, int, int]:
        orders, self._orders = self._pipe(childs, "wb")
        messages, self._messages = self._pipe(childs, "rb")
        printed, self._printed = self._pipe(childs, "rb")
        return orders, messages, printed, self.black_box.descriptor

    def _pipe(self, childs: ExitStack, our_mode: str) -> tuple[int, FileIO]:
        """The child's end and ours."""
        reading, writing = os.pipe()
        is_read = our_mode == "rb"
        our_end, childs_end = (reading, writing) if is_read else (writing, reading)
        childs.callback(os.close, childs_end)
        file = self._ours.enter_context(FileIO(our_end, our_mode))
        if is_read:
            os.set_blocking(our_end, False)
            self._selector.register(file, selectors.EVENT_READ)
        return childs_end, file

    def begin(self, job: Job) -> None:
        """Give the child its job; called once."""
        self._order(f"{job.to_line()}\n".encode())

    def _order(self, line: bytes) -> None:
        with suppress(BrokenPipeError):  # it is dead, and will be found so
            while line:
                line = line[self._orders.write(line) or 0 :]

    def let_go(self) -> None:
        """Let the child begin the next stage."""
        self.is_waiting = False
        self._order(GO)

    def wait(self, seconds: float) -> None:
        """Wait until something is there to be read, at most so long."""
        for key, _ in self._selector.select(max(seconds, 0.0)):
            if key.fileobj is self._printed:
                self.read_output()

    def read_messages(self) -> Iterator[Message]:
        """The messages that are there, without waiting.

        Raises:
            ValueError: What came is no message.
        """
        while chunk := self._read(self._messages):
            yield from map(read_message, self._lines.cut(chunk))

    def read_output(self) -> None:
        """Move to `output` all that was printed before this call, without waiting."""
        num_read = 0
        while num_read < MOST_WAITING_BYTES and (chunk := self._read(self._printed)):
            self.output.add(chunk)
            num_read += len(chunk)

    def _read(self, file: FileIO) -> bytes:
        chunk = file.read(CHUNK_BYTES)
        if chunk == b"" and file in self._watched():
            self._selector.unregister(file)
        return chunk or b""

    def _watched(self) -> list[Any]:
        return [key.fileobj for key in self._selector.get_map().values()]

    @property
    def is_silent(self) -> bool:
        """Whether the pipe of messages has ended, by the child's death or by its own hand."""
        return self._messages not in self._watched()

    def poll(self) -> int | None:
        """The exit code, or minus the number of the signal that ended it; None while it lives."""
        raise NotImplementedError

    def kill(self) -> None:
        """End the child now."""
        raise NotImplementedError

    def ask_for_stack(self) -> str:
        """What faulthandler writes about a child that lives."""
        raise NotImplementedError
