"""The numbers of a tensor as short texts: magnitudes, shares, and a bar up to the dtype's limit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .palette import BAD, CLOSE, QUIET

if TYPE_CHECKING:
    from ..facts.watching import RowFact, StatsFact
    from .page import Part
    from .palette import Symbols

# A quarter of the limit is two doublings away from it.
CLOSE_SHARE = 0.25
LEAST_SHARE = 0.01
BAR_CELLS = 16


def magnitude(value: float) -> str:
    """A magnitude in three digits.

    >>> magnitude(62700.0), magnitude(0.0), magnitude(float("inf"))
    ('6.27e+04', '0', 'inf')
    """
    return f"{value:.2e}" if value else "0"


def percent(share: float | None) -> str:
    """A share, "" where it is not known.

    >>> percent(0.957), percent(0.0004), percent(0.0), percent(None)
    ('96%', '<1%', '0', '')
    """
    if share is None or math.isnan(share):
        return ""
    if 0 < share < LEAST_SHARE:
        return "<1%"
    return f"{share:.0%}" if share else "0"


def style_of(stats: StatsFact | None) -> str:
    """The style of a number: bad, close to its dtype's limit, or plain."""
    if stats is None:
        return QUIET
    if not stats.is_finite:
        return BAD
    return CLOSE if is_close(stats) else ""


def is_close(stats: StatsFact) -> bool:
    """Whether the largest magnitude is finite and close to the limit of its dtype."""
    return stats.is_finite and (stats.share_of_limit or 0) > CLOSE_SHARE


def limit_share(stats: StatsFact) -> Part:
    """How near the largest magnitude is to the largest number of its dtype; "" below 1 %."""
    if not stats.is_finite:
        return ("over", style_of(stats))
    share = stats.share_of_limit or 0.0
    return (percent(share), style_of(stats)) if share >= LEAST_SHARE else ""


def is_noteworthy(row: RowFact) -> bool:
    """Whether a value is to be shown though it is no output: bad, or near a limit."""
    return row.stats is not None and bool(style_of(row.stats) or row.forecast)


def size_bar(stats: StatsFact, limit: float, symbols: Symbols) -> Part:
    """A bar in powers of ten, from 1 to the limit."""
    if not stats.is_finite:
        return (symbols.block * BAR_CELLS, BAD)
    if stats.abs_max <= 1 or not stats.limit:
        return ""
    cells = math.ceil(BAR_CELLS * math.log(stats.abs_max) / math.log(limit))
    return (symbols.block * min(cells, BAR_CELLS), style_of(stats) or "cyan")
