"""Tables on a page: aligned columns, of which the dispensable ones give way where it is narrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from .palette import QUIET
from .printable import one_line, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .page import Page, Part

GAP = "  "
LEAST_NAME = 18


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        title: Its heading.
        is_right: Whether its cells end at the same place, as numbers do.
        rank: Columns of the highest rank are left out first where there is no room; 0 never is.
    """

    title: str
    is_right: bool = True
    rank: int = 0


def add_grid(
    page: Page, columns: Sequence[Column], rows: Sequence[Sequence[Part]], *, indent: int = 2
) -> None:
    """Add a table; a column without any text is left out.

    The first column holds names: it is cut in the middle, if all else does not help. A row of one
    cell is a heading that takes the whole line.

    Args:
        page: Where to.
        columns: The columns.
        rows: A cell for each column.
        indent: Columns that stay free at the left.
    """
    shown = _Shown(page, [[_safe(page, cell) for cell in row] for row in rows], columns, indent)
    shown.leave_out()
    page.add_line(*shown.line([(column.title, QUIET) for column in columns]))
    for row in shown.rows:
        page.add_line(*shown.line(row))


def shorten_middle(text: str, most: int, cut: str) -> str:
    """The text with its middle left out, where it is longer than `most` characters.

    >>> shorten_middle("encoder.block.2.layer.1.wo", 16, "...")
    'enco...ayer.1.wo'
    """
    if len(text) <= most:
        return text
    room = max(most - len(cut), 2)
    front = room // 3
    return text[:front] + cut + text[len(text) - (room - front) :]


class _Shown:
    """What of a table is shown, and how wide."""

    def __init__(
        self,
        page: Page,
        rows: list[list[tuple[str, str]]],
        columns: Sequence[Column],
        indent: int,
    ) -> None:
        self.rows = rows
        self._page, self._columns, self._indent = page, columns, indent
        self._cells = [row for row in rows if len(row) > 1]
        self._widths = [self._width(number) for number in range(len(columns))]
        self._kept = [n for n in range(len(columns)) if any(row[n][0] for row in self._cells)]

    def leave_out(self) -> None:
        """Leave out columns, and at last cut the names, until a line fits the page."""
        while self._surplus() > 0:
            last = max(self._kept, key=lambda number: self._columns[number].rank)
            if not self._columns[last].rank or self._surplus() <= self._widths[0] - LEAST_NAME:
                break
            self._kept.remove(last)
        if (surplus := self._surplus()) > 0:
            self._widths[0] = max(self._widths[0] - surplus, min(self._widths[0], LEAST_NAME))

    def line(self, row: Sequence[tuple[str, str]]) -> list[Part]:
        """The parts of one line."""
        parts: list[Part] = [" " * self._indent]
        if len(row) == 1:
            return [*parts, row[0]]
        for number in self._kept:
            text, style = row[number]
            width = self._widths[number]
            if number == 0:
                text = shorten_middle(text, width, self._page.symbols.cut)
            space = " " * (width - cell_len(text))
            parts += [space] if self._columns[number].is_right else []
            parts += [(text, style)]
            parts += [space] if not self._columns[number].is_right else []
            parts += [GAP]
        return parts

    def _width(self, number: int) -> int:
        texts = [self._columns[number].title, *(row[number][0] for row in self._cells)]
        return max(map(cell_len, texts))

    def _surplus(self) -> int:
        taken = sum(self._widths[number] + len(GAP) for number in self._kept) - len(GAP)
        return taken + self._indent - self._page.width


def _safe(page: Page, cell: Part) -> tuple[str, str]:
    text, style = (cell, "") if isinstance(cell, str) else cell
    return printable(one_line(text), ascii_only=page.symbols.cut.isascii()), style
