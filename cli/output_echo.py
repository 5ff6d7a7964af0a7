"""What the user's code prints, shown on stderr line by line while the stages run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pipeline_checks.reporters.printable import printed_lines

if TYPE_CHECKING:
    from collections.abc import Callable


class OutputEcho:
    """Collects text until a line is whole, then shows it.

    Args:
        show: Called with each line.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._rest = ""

    def take(self, text: str) -> None:
        """Take what was printed since the last time."""
        whole, end, rest = (self._rest + text).rpartition("\n")
        self._rest = rest
        if end:
            self._show_all(whole)

    def finish(self) -> None:
        """Show the last line, also without an end."""
        if self._rest:
            self._show_all(self._rest)
            self._rest = ""

    def _show_all(self, text: str) -> None:
        for line in printed_lines(text):
            self._show(line)
