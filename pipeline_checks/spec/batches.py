"""Numbers of batches as people write them: `1,3`, `0-5`, `10-100:10`, or a list."""

from __future__ import annotations

import re
from typing import Any

from .flaws import Flaw, FlawsError
from .rules import Rule
from .shown import show_value
from .values import read_whole_number

PIECE = re.compile(r"(?P<first>\d+)(?:-(?P<last>\d+)(?::(?P<step>\d+))?)?", re.ASCII)
MOST_BATCHES = 100_000
EXPECTED = "numbers of batches counted from 0, like 1,3 or 0-5 or 10-100:10"


def parse_batches(value: object) -> tuple[int, ...]:
    """The numbers of batches, each once, in order.

    Args:
        value: A text (`1,3`; `0-5`, the last included; `10-100:10`, every tenth), a whole number,
            or a list of these.

    >>> parse_batches("0-2,10-30:10"), parse_batches([3, "1-2"])
    ((0, 1, 2, 10, 20, 30), (1, 2, 3))

    Raises:
        FlawsError: (a ValueError) It is nothing of that, or more than 100,000 batches.
    """
    found: set[int] = set()
    for item in value if isinstance(value, (list, tuple)) else [value]:
        pieces = item.split(",") if isinstance(item, str) else [item]
        for piece in pieces:
            found.update(_read_piece(piece, value))
            if len(found) > MOST_BATCHES:
                raise _more_than_most(value)
    if not found:
        raise FlawsError([Flaw.unlike(value, EXPECTED)])
    return tuple(sorted(found))


def _read_piece(piece: object, value: object) -> range:
    match = PIECE.fullmatch(piece.strip()) if isinstance(piece, str) else None
    if match is None:
        number = _read_number(piece)
        return range(number, number + 1)
    first = int(match["first"])
    last = int(match["last"] or first)
    step = int(match["step"] or 1)
    if last < first:
        predicate = f"holds {match[0]!r}, which runs from {first} down to {last}."
        raise FlawsError([Flaw(predicate, f"Did you mean '{last}-{first}'?")])
    if step == 0:
        raise FlawsError([Flaw(f"holds {match[0]!r}, which steps by 0.")])
    if (last - first) // step >= MOST_BATCHES:
        raise _more_than_most(value)
    return range(first, last + 1, step)


def _read_number(piece: object) -> int:
    try:
        number = read_whole_number(piece)
        if number >= 0:
            return number
    except ValueError:
        pass
    raise FlawsError([Flaw.unlike(piece, EXPECTED)])


def _more_than_most(value: object) -> FlawsError:
    return FlawsError([Flaw(f"is {show_value(value)}: more than {MOST_BATCHES} batches.")])


_ONE: dict[str, Any] = {"type": ["integer", "string"]}
BATCHES = Rule(EXPECTED, parse_batches, {"anyOf": [_ONE, {"type": "array", "items": _ONE}]})
