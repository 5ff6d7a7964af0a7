"""The lines of a TOML file's keys, which Python's reader does not tell.

Reads the headers and the keys at the start of a line; what stands inside a value that goes over
several lines has the line where the value begins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .lines import KeyPath

STEP = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
KEY = rf"{STEP}(?:\s*\.\s*{STEP})*"
HEADER = re.compile(rf"\s*\[(\[?)\s*({KEY})\s*\]")
ENTRY = re.compile(rf"\s*({KEY})\s*=\s*")
PIECE = re.compile(r'''"""|\'\'\'|"(?:\\.|[^"\\])*"|'[^']*'|[\[\]{}]|\#.*''')


def find_toml_lines(text: str) -> dict[KeyPath, int]:
    """Key paths to line numbers, counted from 1."""
    scan = _Scan()
    for number, line in enumerate(text.splitlines(), start=1):
        scan.take(line, number)
    return scan.lines


@dataclass
class _Scan:
    lines: dict[KeyPath, int] = field(default_factory=dict)
    table: KeyPath = ()
    num_in_array: dict[KeyPath, int] = field(default_factory=dict)
    open_brackets: int = 0
    open_quotes: str = ""

    def take(self, line: str, number: int) -> None:
        if self.open_brackets == 0 and not self.open_quotes:
            line = self._take_start(line, number)
        self._take_value(line)

    def _take_start(self, line: str, number: int) -> str:
        """Note the header or the key that the line starts with; give the rest of the line."""
        if header := HEADER.match(line):
            self.table = _split(header[2])
            if header[1]:
                place = self.num_in_array.get(self.table, 0)
                self.num_in_array[self.table] = place + 1
                self.table = (*self.table, place)
            self._note(self.table, number)
            return ""
        if entry := ENTRY.match(line):
            self._note((*self.table, *_split(entry[1])), number)
            return line[entry.end() :]
        return ""

    def _note(self, path: KeyPath, number: int) -> None:
        for length in range(1, len(path) + 1):
            self.lines.setdefault(path[:length], number)

    def _take_value(self, line: str) -> None:
        """Follow what is still open at the end of the line."""
        while line:
            if self.open_quotes:
                _, closing, line = line.partition(self.open_quotes)
                self.open_quotes = "" if closing else self.open_quotes
                continue
            piece = PIECE.search(line)
            if piece is None:
                return
            line = line[piece.end() :]
            if piece[0] in ('"""', "'''"):
                self.open_quotes = piece[0]
            elif piece[0] in "[{":
                self.open_brackets += 1
            elif piece[0] in "]}":
                self.open_brackets -= 1


def _split(key: str) -> KeyPath:
    return tuple(step.strip("\"'") for step in re.findall(STEP, key))
