"""What the child tells the parent while its stages run."""

from __future__ import annotations

import json
import sys
import time
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING

from ..events import Progress, StageBegan, StageEnded
from ..facts.codec import encode
from .messages import Kind

if TYPE_CHECKING:
    from ..events import Event
    from .link import Link
    from .recorder import Recorder

PROGRESS_EVERY_S = 0.05  # faster than anyone reads; what comes between is recorded, not sent


class Teller:
    """Tells events, and how the run ended.

    Args:
        link: To the parent.
        recorder: Keeps what is being done, for the case that the child dies.
    """

    def __init__(self, link: Link, recorder: Recorder) -> None:
        self._link = link
        self._recorder = recorder
        self._progress_told = 0.0

    def tell(self, event: Event) -> bool:
        """Tell one event; False if it ended a stage and the parent wants no more."""
        match event:
            case StageBegan(stage):
                self._recorder.record(stage.value)
                self._progress_told = 0.0
            case Progress(stage, text):
                self._recorder.record(stage.value, text)
                if self._is_too_soon():
                    return True
            case StageEnded():
                flush_streams()  # what was printed belongs to the stage that ends here
        self._recorder.listen()
        self._link.send(Kind.EVENT, lambda: encode(event))
        if not isinstance(event, StageEnded):
            return True
        self._recorder.record(event.stage.value)
        return self._link.wait_for_go()

    def _is_too_soon(self) -> bool:
        now = time.monotonic()
        if now < self._progress_told + PROGRESS_EVERY_S:
            return True
        self._progress_told = now
        return False

    def tell_leaving(self, leaving: BaseException) -> None:
        """Tell of an exception that only the user's code can have meant or caused."""
        status = leaving.code if isinstance(leaving, SystemExit) else None
        places = [(frame.f_code, line) for frame, line in traceback.walk_tb(leaving.__traceback__)]
        frames = [(code.co_filename, line, code.co_name) for code, line in places]
        body = {"name": type(leaving).__name__, "code": _exit_code(status), "frames": frames}
        self._link.send(Kind.LEFT, lambda: json.dumps(body))

    def tell_crash(self) -> None:
        """Tell of the exception at hand, which is tdebug's own fault."""
        text = traceback.format_exc()
        self._link.send(Kind.CRASH, lambda: json.dumps(text))

    def tell_end(self) -> None:
        """Tell that all stages are over."""
        self._link.send(Kind.DONE, lambda: "null")


def flush_streams() -> None:
    """Flush what Python still holds of the output."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # the user's code may have closed or replaced it
            stream.flush()


def _exit_code(status: object) -> int:
    """The exit code that Python makes of `sys.exit(status)`."""
    if status is None:
        return 0
    return status if isinstance(status, int) else 1
