"""The worker process, seen from the parent: its start, its pipes, its end."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
from contextlib import ExitStack, closing, suppress
from io import FileIO
from typing import TYPE_CHECKING, Any

from .black_box import BlackBox
from .leftovers import MARK, kill_marked, new_mark
from .messages import GO, LineCutter, read_message
from .output import CappedOutput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from .job import Job
    from .messages import Message

# Not `-m`: that puts the current folder first on sys.path, where a json.py of the user's lies in
# wait. `-c` does too, but here it is taken away before anything is imported.
PROGRAM = (
    "import sys; sys.path[:] = [p for p in sys.path if p]; "
    "from tdebug.pipeline_checks.worker.child import main; main()"
)
CHUNK_BYTES = 2**18
MOST_WAITING_BYTES = 2**21  # more than a pipe holds: after that, what comes was not yet written
GRACE_S = 2.0  # for the user's own clean-up at exit
REAP_S = 5.0


class WorkerProcess:
    """One worker process; leaving the context ends it and all that it started.

    Several ranks are several of these; `wait` is the one place that would wait for all.

    Attributes:
        output: What the user's code printed and nobody has taken yet.
        is_waiting: True while the child waits for an order or is done, so that it can be trusted
            to end by itself.
    """

    def __init__(self) -> None:
        if os.name != "posix":
            raise NotImplementedError("The worker needs Unix pipes and signals; use --in-process.")
        self.output = CappedOutput()
        self.is_waiting = False
        self._mark = new_mark()
        self._lines = LineCutter()
        with ExitStack() as ours, ExitStack() as childs:
            self.black_box = ours.enter_context(closing(BlackBox()))
            self._selector = ours.enter_context(selectors.DefaultSelector())
            self._ours = ours
            self._process = self._start(childs)
            self._ours = ours.pop_all()

    def _start(self, childs: ExitStack) -> subprocess.Popen[bytes]:
        orders, self._orders = self._pipe(childs, "wb")
        messages, self._messages = self._pipe(childs, "rb")
        printed, self._printed = self._pipe(childs, "rb")
        descriptors = (orders, messages, self.black_box.descriptor)
        return subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-c", PROGRAM, *map(str, descriptors), str(os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            pass_fds=descriptors,
            start_new_session=True,
            env=self._environment(),
        )

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

    def _environment(self) -> dict[str, str]:
        # Where user code insists on a GPU, the error must stand at the line that caused it.
        return {"CUDA_LAUNCH_BLOCKING": "1", **os.environ, MARK: self._mark}

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
