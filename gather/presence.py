"""The thread with which a rank shows that it lives, and says where it is when asked."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from typing import TYPE_CHECKING

from .absence import AbsenceReason
from .attendance import BEAT_S
from .mailbox import StoreLostError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .attendance import Attendance
    from .mailbox import Mailbox

TICK_S = 0.2  # how often the thread looks for questions and for the end of the main thread
LINGER_S = 5.0  # how long rank 0, in which the store mostly lives, waits for the others to go


class Presence(threading.Thread):
    """Give signs of life, answer questions for the stack, and say goodbye at the end.

    It ends with the main thread, by itself: it is no daemon, since a daemon that is inside native
    code while the interpreter ends can bring the process down.

    Args:
        mailbox: A mailbox that only this thread uses.
        attendance: Is kept informed about the others.
        rank: The rank of this process.
        ranks: All ranks.
        is_wanted: Asked at every tick; the thread ends when the answer is no.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        attendance: Attendance,
        *,
        rank: int,
        ranks: Sequence[int],
        is_wanted: Callable[[], bool],
    ) -> None:
        super().__init__(name=f"tdebug presence of rank {rank}", daemon=False)
        self._mailbox = mailbox
        self._attendance = attendance
        self._rank = rank
        self._others = [other for other in ranks if other != rank]
        self._is_wanted = is_wanted
        self._closing = threading.Event()
        self._failure: BaseException | None = None
        self._next_beat_s = 0.0
        self._num_beats = 0
        self._answered = ""

    def close(self, failure: BaseException | None = None) -> None:
        """Say goodbye, with the error that ended the work if there is one, and end."""
        self._failure = failure
        self._closing.set()
        self.join()

    def run(self) -> None:
        """Tick until the work or the main thread ends, or the store is gone."""
        try:
            while self._goes_on():
                self._beat()
                self._answer()
                self._attendance.learn(self._mailbox, self._others)
            self._say_goodbye()
        except StoreLostError:
            return  # nobody is left to be told

    def _goes_on(self) -> bool:
        closing = self._closing.wait(TICK_S)
        return not closing and threading.main_thread().is_alive() and self._is_wanted()

    def _beat(self) -> None:
        if time.monotonic() >= self._next_beat_s:
            self._num_beats += 1
            self._next_beat_s = time.monotonic() + BEAT_S
            self._mailbox.post(f"beat/{self._rank}", self._num_beats)

    def _answer(self) -> None:
        question = self._mailbox.read(f"ask/{self._rank}")
        if question and question != self._answered:
            self._answered = question
            self._mailbox.post(f"stack/{self._rank}/{question}", read_main_stack())

    def _say_goodbye(self) -> None:
        failure = self._failure or _read_unhandled_error()
        reason = AbsenceReason.FAILED if failure else AbsenceReason.LEFT
        detail = describe_error(failure) if failure else "it finished without coming here"
        word = {"reason": reason.value, "detail": detail}
        self._mailbox.post(f"farewell/{self._rank}", word)
        if self._rank == 0:
            linger(self._mailbox, self._attendance, {r: f"farewell/{r}" for r in self._others})


def linger(mailbox: Mailbox, attendance: Attendance, keys: dict[int, str]) -> None:
    """Wait until every rank that lives has posted its key, `LINGER_S` at most.

    For rank 0 after a meeting: the others may still have to read, in the store that is in its
    process, what it has read already.
    """
    end_s = time.monotonic() + LINGER_S
    while time.monotonic() < end_s and not mailbox.has_all(keys.values()):
        missing = [rank for rank, key in keys.items() if not mailbox.has_all([key])]
        if len(attendance.find_gone(mailbox, missing)) == len(missing):
            return
        time.sleep(0.001)


def read_main_stack() -> str:
    """Give the Python stack of the main thread as text, innermost frame last."""
    # Documented, with the underscore, as the way to the frames of other threads.
    frame = sys._current_frames().get(threading.main_thread().ident or 0)  # noqa: SLF001
    return "".join(traceback.format_stack(frame)) if frame else ""


def describe_error(error: BaseException) -> str:
    """Give type and text of an error, as the last line of a traceback does."""
    return "".join(traceback.format_exception_only(type(error), error)).strip()


def _read_unhandled_error() -> BaseException | None:
    """Give the error that ended the main thread, where the interpreter has printed one."""
    if threading.main_thread().is_alive():
        return None
    error = getattr(sys, "last_value", None)
    return error if isinstance(error, BaseException) else None
