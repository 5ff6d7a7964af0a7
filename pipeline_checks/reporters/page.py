"""A page of terminal text: lines wrapped with a hanging indent, safe to show, in colour or not."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, TypeAlias

from rich.console import Console
from rich.text import Text

from .palette import ASCII, UNICODE
from .printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .look import Look

Part: TypeAlias = "str | tuple[str, str]"
LEAST_WIDTH = 40


class Page:
    """Collects lines; `text` gives the page.

    Every part passes through `printable`, so that nobody who adds to a page can forget it. A part
    is a string, or a string with a style of rich.

    Attributes:
        symbols: The marks and separators that the output can show.
        width: Columns.
    """

    def __init__(self, look: Look) -> None:
        self.symbols = ASCII if look.ascii_only else UNICODE
        self._ascii_only = look.ascii_only
        self.width = max(look.width, LEAST_WIDTH)
        self._file = StringIO()
        self._console = _console(self._file, self.width, color=look.color)
        self._lines: list[Text] = []

    def add(self, *parts: Part, indent: int = 0) -> None:
        """Add a paragraph, each of its lines indented."""
        self.add_labelled("", *parts, indent=indent, hang=indent)

    def add_labelled(self, label: Part | list[Part], *parts: Part, indent: int, hang: int) -> None:
        """Add a paragraph that hangs `hang` columns in; the label stands before its first line."""
        labels = label if isinstance(label, list) else [label]
        start = Text(" " * indent).append_text(self._assembled(labels))
        start.append(" " * (hang - start.cell_len))
        body = self._assembled(parts)
        for line in body.wrap(self._console, self.width - hang, overflow="fold"):
            self._lines.append(start.append_text(line))
            start = Text(" " * hang)

    def gap(self) -> None:
        """Add an empty line, unless the page begins here or one stands already."""
        if self._lines and self._lines[-1].plain:
            self._lines.append(Text(""))

    def add_line(self, *parts: Part) -> None:
        """Add one line that is not wrapped, cut where it does not fit."""
        line = self._assembled(parts)
        line.truncate(self.width)
        self._lines.append(line)

    def text(self) -> str:
        """The page, with a line end after its last line."""
        for line in self._lines:
            line.rstrip()
            self._console.print(line, soft_wrap=True)
        return self._file.getvalue()

    def _assembled(self, parts: Sequence[Part]) -> Text:
        pairs = [(part, "") if isinstance(part, str) else part for part in parts]
        only = self._ascii_only
        return Text.assemble(*((printable(text, ascii_only=only), style) for text, style in pairs))


def _console(file: StringIO, width: int, *, color: bool) -> Console:
    """A console that takes nothing from the environment."""
    return Console(
        file=file,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=False,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
