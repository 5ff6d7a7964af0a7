"""What a worker says, as events, until it is done or dead."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..events import Death, Event, Output, StageBegan, StageEnded
from ..facts.codec import decode
from .deaths import (
    death_by_exception,
    death_by_exit,
    death_by_silence,
    death_by_timeout,
)
from .errors import WorkerCrashError
from .messages import Kind
from .stack_text import FATAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..report import Stage
    from .black_box import Position
    from .messages import Message
    from .pipes import WorkerPipes

LOOK_EVERY_S = 0.2  # where a fork of the child keeps the pipe open, its end shows by looking alone
LOOK_SOON_S = 0.01  # the pipe has ended, so the process is about to
SILENCE_LIMIT_S = 1.0
MOST_REMEMBERED = 2**15  # characters; a stack of faulthandler's has room


class Listener:
    """Listens to one worker.

    Args:
        worker: The worker.
        limit_s: Seconds after which a stage is ended. They count from its beginning.
    """

    def __init__(self, worker: WorkerPipes, limit_s: float) -> None:
        self._worker = worker
        self._limit_s = limit_s
        self._seen: set[Stage] = set()
        self._last_printed = ""
        self._began = time.monotonic()
        self._silent_since: float | None = None
        self._is_ready = self._is_over = False

    def events(self) -> Iterator[Event]:
        """The events, in order; asking for the one after a `StageEnded` lets the worker go on.

        Raises:
            WorkerCrashError: tdebug itself failed in the worker.
        """
        for event in self._listen():
            handed_over = time.monotonic()
            yield event
            self._began += time.monotonic() - handed_over  # the child may have waited for us

    def _listen(self) -> Iterator[Event]:
        while not self._is_over:
            self._worker.wait(self._seconds_to_wait())
            returncode = self._worker.poll()  # first, so that the reading is of all that it wrote
            for message in self._read_messages():
                yield from self._take(message)
            if not self._is_over:
                yield from self._output(self._worker.output.take())
                yield from self._look_for_death(returncode)

    def _seconds_to_wait(self) -> float:
        look_in = LOOK_SOON_S if self._worker.is_silent else LOOK_EVERY_S
        return min(look_in, self._began + self._limit_s - time.monotonic())

    def _read_messages(self) -> Iterator[Message]:
        try:
            yield from self._worker.read_messages()
        except ValueError as error:
            raise WorkerCrashError("The worker sent what is no message.", str(error)) from error

    def _take(self, message: Message) -> Iterator[Event]:
        match message.kind:
            case Kind.READY:
                self._is_ready = True
            case Kind.EVENT:
                yield from self._take_event(_decode(message))
            case Kind.LEFT:
                self._is_over = True
                yield from self._output(self._end_output())
                yield death_by_exception(self._position(), message.data())
            case Kind.CRASH:
                raise WorkerCrashError("tdebug failed in the worker.", message.data())
            case Kind.DONE:
                self._is_over = self._worker.is_waiting = True
                yield from self._output(self._end_output())

    def _take_event(self, event: Event) -> Iterator[Event]:
        match event:
            case StageBegan(stage):
                if stage not in self._seen:  # a loop of stages begins all of them at once
                    self._seen.add(stage)
                    self._began = time.monotonic()
            case StageEnded():
                yield from self._output(self._end_output())
                self._worker.is_waiting = True
        yield event
        if isinstance(event, StageEnded):
            self._worker.let_go()
            self._began = time.monotonic()

    def _look_for_death(self, returncode: int | None) -> Iterator[Event]:
        now = time.monotonic()
        if self._worker.is_silent and self._silent_since is None:
            self._silent_since = now
        if returncode is not None:
            yield from self._output(self._end_output())
            death = self._describe_exit(returncode)
        elif self._silent_since is not None and now > self._silent_since + SILENCE_LIMIT_S:
            self._worker.kill()
            yield from self._output(self._end_output())
            death = death_by_silence(self._position())
        elif now > self._began + self._limit_s:
            at, stack = self._position(), self._worker.ask_for_stack()
            self._worker.kill()
            yield from self._output(self._end_output())
            death = death_by_timeout(at, self._limit_s, stack)
        else:
            return
        self._is_over = True
        yield death

    def _describe_exit(self, returncode: int) -> Death:
        if not self._is_ready:
            sentence = f"The worker did not start (exit code {returncode})."
            raise WorkerCrashError(sentence, self._last_printed)
        stack = self._worker.black_box.read_stack()
        if FATAL not in stack and FATAL in self._last_printed:
            stack = self._last_printed  # the user's code has enabled faulthandler too
        return death_by_exit(self._position(), returncode, stack)

    def _position(self) -> Position:
        return self._worker.black_box.read_position()

    def _end_output(self) -> str:
        self._worker.read_output()
        return self._worker.output.end_section()

    def _output(self, printed: str) -> Iterator[Event]:
        self._last_printed = (self._last_printed + printed)[-MOST_REMEMBERED:]
        if printed:
            yield Output(self._position().stage, printed)


def _decode(message: Message) -> Event:
    try:
        return decode(message.body)
    except (ValueError, KeyError, TypeError) as error:
        raise WorkerCrashError("The worker sent an event that is none.", str(error)) from error
