"""The near name behind "did you mean"."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# difflib's own default; below it the offers are mostly noise.
CUTOFF = 0.6


def find_near(word: str, choices: Iterable[str], cutoff: float = CUTOFF) -> str | None:
    """The choice that is most like `word` in spelling, case aside, or None if none is like it.

    >>> find_near("Optimiser", ["model", "optimizer"])
    'optimizer'
    """
    by_lower = {choice.lower(): choice for choice in choices}
    found = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=cutoff)
    return by_lower[found[0]] if found else None


def did_you_mean(word: str, choices: Iterable[str], cutoff: float = CUTOFF) -> str:
    """`Did you mean 'optimizer'?`, or "" if no choice is like `word`."""
    near = find_near(word, choices, cutoff)
    return f"Did you mean {near!r}?" if near else ""
