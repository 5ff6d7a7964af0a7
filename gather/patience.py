"""How long a rank waits, and what is due meanwhile."""

from __future__ import annotations

import time

_FIRST_PAUSE_S = 0.0005
_LONGEST_PAUSE_S = 0.02
_FIRST_LOOK_S = 0.1  # a meeting that takes less asks nobody
_LOOK_S = 0.5  # how often to ask whether the missing ones still live
_QUESTION_S = 2.0  # how long before the end the silent ones are asked for their stack


class Patience:
    """A time limit, with pauses that grow while nothing happens.

    Args:
        timeout_s: The limit in seconds.
    """

    def __init__(self, timeout_s: float) -> None:
        self._start_s = time.monotonic()
        self._end_s = self._start_s + timeout_s
        self._question_s = self._end_s - min(_QUESTION_S, timeout_s / 2)
        self._look_s = self._start_s + _FIRST_LOOK_S
        self._pause_s = _FIRST_PAUSE_S

    @property
    def waited_s(self) -> float:
        """How long this has gone on."""
        return time.monotonic() - self._start_s

    @property
    def is_over(self) -> bool:
        """Whether the limit is reached."""
        return time.monotonic() >= self._end_s

    @property
    def is_almost_over(self) -> bool:
        """Whether it is time to ask the silent ones where they are."""
        return time.monotonic() >= self._question_s

    def is_time_to_look(self) -> bool:
        """Tell, every half second and when something is due, to look for the missing ones."""
        now_s = time.monotonic()
        if now_s < self._look_s:
            return False
        due_s = (self._question_s, self._end_s, now_s + _LOOK_S)
        self._look_s = min(moment_s for moment_s in due_s if moment_s > now_s)
        return True

    def pause(self) -> None:
        """Sleep for a moment, longer from time to time."""
        time.sleep(self._pause_s)
        self._pause_s = min(self._pause_s * 1.5, _LONGEST_PAUSE_S)
