"""Text of the user's data, made safe to show: nothing in it acts on the terminal or on a parser."""

from __future__ import annotations

import re

_JOINERS = "\u200c\u200d"  # of scripts and emoji; they change no order and hide nothing
_ESCAPE_SEQUENCE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])")


def printable(text: str, *, ascii_only: bool = False) -> str:
    r"""Show what Python's `repr` would escape as an escape, but keep line ends.

    That is C0 and C1 controls, DEL, controls of the writing direction, lone surrogates and spaces
    that look like the plain one. A tab becomes four spaces.

    Args:
        text: Any text.
        ascii_only: Escape all that is not ASCII too, for an output that cannot encode it.

    >>> printable("red \x1b[31m, \u202e and a tab\t.")
    'red \\x1b[31m, \\u202e and a tab    .'
    """
    text = text.replace("\t", "    ")
    if text.isprintable() and (text.isascii() or not ascii_only):
        return text
    return "".join(_shown(character, ascii_only=ascii_only) for character in text)


def _shown(character: str, *, ascii_only: bool) -> str:
    if character == "\n":
        return character
    if ascii_only and not character.isascii():
        return _escaped(character)
    if character.isprintable() or character in _JOINERS:
        return character
    return _escaped(character)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def printed_lines(text: str) -> list[str]:
    r"""The lines that a terminal would have shown, without colours and overwritten progress bars.

    >>> printed_lines("10%\r20%\r\n\x1b[31mred\x1b[0m\n")
    ['20%', 'red']
    """
    lines = _ESCAPE_SEQUENCE.sub("", text).replace("\r\n", "\n").rstrip("\n").split("\n")
    return [printable(_last_written(line)) for line in lines]


def _last_written(line: str) -> str:
    parts = [part for part in line.split("\r") if part]
    return parts[-1] if parts else ""


def shortened(text: str, most: int = 2000) -> str:
    """The text, cut in its middle where it is longer than `most` characters.

    >>> shortened("a" * 50 + "b" * 50, 20)
    'aaaaaaaaaa ... 80 characters ... bbbbbbbbbb'
    """
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} ... {len(text) - 2 * half} characters ... {text[-half:]}"


def one_line(text: str) -> str:
    """The text with its line ends as spaces."""
    return " ".join(text.split("\n"))
