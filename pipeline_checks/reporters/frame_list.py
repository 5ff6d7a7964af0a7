"""Frames one below the other, each with its values, so that growth shows at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .grid import Column, add_grid
from .measures import limit_share, magnitude, size_bar, style_of
from .palette import CLOSE, QUIET

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..facts.watching import FrameFact, RowFact
    from .page import Page, Part
    from .palette import Symbols

COLUMNS = (
    Column("module and its values", is_right=False),
    Column("abs min"),
    Column("abs max"),
    Column("limit"),
    Column("1 to the limit, in powers of ten", is_right=False, rank=1),
    Column("growth", rank=2),
    Column("dtype", is_right=False, rank=3),
)
# An output this many times as large as the one before it is marked.
GROWTH = 1.5


def add_frames(page: Page, frames: Sequence[FrameFact]) -> None:
    """Add the frames in their order."""
    rows: list[list[Part]] = []
    before: float | None = None
    for frame in frames:
        name = frame.module or "(the model)"
        rows.append([(name, "bold"), *[""] * (len(COLUMNS) - 1)])
        rows[-1][0] = (f"{name}  {frame.module_class}", "bold")
        for row in frame.rows:
            growth = _growth(row, before, page.symbols)
            rows.append(_cells(row, growth, page.symbols))
        before = _largest_output(frame) or before
    add_grid(page, COLUMNS, rows)


def _cells(row: RowFact, growth: Part, symbols: Symbols) -> list[Part]:
    name: Part = (f"  {row.context}", QUIET if row.kind == "weight" else "")
    stats = row.stats
    if stats is None:
        return [name, "", (row.note, QUIET), "", "", "", ""]
    style = style_of(stats)
    bar: Part = size_bar(stats, symbols) if row.kind in {"output", "gradient"} else ""
    return [
        name,
        magnitude(stats.abs_min),
        (magnitude(stats.abs_max), style),
        limit_share(stats),
        bar,
        growth,
        (stats.dtype, QUIET),
    ]


def _growth(row: RowFact, before: float | None, symbols: Symbols) -> Part:
    stats = row.stats
    if row.kind != "output" or stats is None or not before or not stats.is_finite:
        return ""
    times = stats.abs_max / before
    return (f"{symbols.times} {times:.3g}", CLOSE) if times > GROWTH else ""


def _largest_output(frame: FrameFact) -> float | None:
    outputs = [r.stats for r in frame.rows if r.kind == "output" and r.stats is not None]
    return max((o.abs_max for o in outputs if o.is_finite and o.limit), default=None)
