"""One line on a terminal that rich keeps fresh, and takes away at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import ConsoleOptions, RenderResult

REFRESHES_PER_SECOND = 8


class LiveLine:
    """Shows on stderr what `tell` says at each moment.

    Args:
        tell: Called at each refresh.
        ascii_only: True where stderr cannot encode more.
    """

    def __init__(self, tell: Callable[[], str], *, ascii_only: bool) -> None:
        self._tell = tell
        self._spinner = Spinner("line" if ascii_only else "dots", style="cyan")
        console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self._live = Live(
            self,
            console=console,
            transient=True,
            refresh_per_second=REFRESHES_PER_SECOND,
        )

    def start(self) -> None:
        """Show the line."""
        self._live.start(refresh=True)

    def stop(self) -> None:
        """Take the line away and give the cursor back."""
        self._live.stop()

    def print_above(self, line: str) -> None:
        """Write a line that stays, above the live one."""
        self._live.console.print(Text(line), soft_wrap=True)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The spinner and the text, cut to the width: a line that wraps cannot be taken away."""
        del options  # rich tells the size; the line is cut when it is printed
        self._spinner.update(text=Text(self._tell()))
        line = self._spinner.render(console.get_time())
        if isinstance(line, Text):
            line.no_wrap, line.overflow = True, "ellipsis"
        yield line
