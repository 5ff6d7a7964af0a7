"""Progress on stderr, driven by the events of the stages."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..pipeline_checks.events import Event, Output, Progress, StageBegan
from ..pipeline_checks.reporters.printable import one_line, printable
from .first_line import erase_first_line, is_live
from .output_echo import OutputEcho
from .stderr import say
from .stdout import is_unicode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .live_line import LiveLine

    Watch = Callable[[Event], None]


class ProgressLine:
    """What the line of progress says.

    Args:
        ascii_only: True where stderr cannot encode more.
    """

    def __init__(self, *, ascii_only: bool = False) -> None:
        self._ascii_only = ascii_only
        self._began = time.monotonic()
        self._stage, self._doing = "load", "starting"

    def take(self, event: Event) -> None:
        """Take one event; those that tell nothing about progress change nothing."""
        if isinstance(event, StageBegan):
            self._stage, self._doing = str(event.stage), ""
        elif isinstance(event, Progress):
            self._stage, self._doing = str(event.stage), _describe(event)

    def __str__(self) -> str:
        seconds = f"{time.monotonic() - self._began:.0f} s"
        doing = printable(one_line(self._doing), ascii_only=self._ascii_only)
        return "  ".join(part for part in (self._stage, seconds, doing) if part)


def _describe(progress: Progress) -> str:
    if progress.done is None:
        return progress.text
    of = "" if progress.total is None else f" of {progress.total}"
    return f"{progress.text} ({progress.done}{of})"


@contextmanager
def shown_progress(*, is_output_shown: bool, is_live_wanted: bool) -> Iterator[Watch]:
    """Show progress while the stages run; gives the function that takes their events.

    Args:
        is_output_shown: Show also what the user's code prints.
        is_live_wanted: False where a live line would be in the way, as with a debugger.
    """
    ascii_only = not is_unicode(sys.stderr)
    line = ProgressLine(ascii_only=ascii_only)
    erase_first_line()
    live = _make_live(line, ascii_only=ascii_only) if is_live_wanted and is_live() else None
    echo = OutputEcho(live.print_above if live else say)

    def watch(event: Event) -> None:
        if is_output_shown and isinstance(event, Output):
            echo.take(event.text)
        line.take(event)

    try:
        if live is not None:
            live.start()
        yield watch
    finally:
        echo.finish()
        if live is not None:
            live.stop()


def _make_live(line: ProgressLine, *, ascii_only: bool) -> LiveLine:
    from .live_line import LiveLine  # noqa: PLC0415 - rich is needed on a terminal only

    return LiveLine(line.__str__, ascii_only=ascii_only)
