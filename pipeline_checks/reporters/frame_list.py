"""Frames one below the other, each with its values, so that growth shows at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .grid import Column, add_grid
from .measures import is_close, limit_share, magnitude, size_bar, style_of
from .palette import CLOSE, QUIET

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..facts.watching import FrameFact, RowFact, StatsFact
    from .page import Page, Part
    from .palette import Symbols

# An output this many times as large as the one before it is marked.
GROWTH = 1.5
FLOAT32_LIMIT = 3.4028234663852886e38


def first_near_limit(frames: Sequence[FrameFact]) -> tuple[FrameFact, StatsFact] | None:
    """The first module with weights whose output was close to the limit of its dtype, if any."""
    for frame in frames:
        if not any(row.kind == "weight" for row in frame.rows):
            continue
        for row in frame.rows:
            if row.kind == "output" and row.stats is not None and is_close(row.stats):
                return frame, row.stats
    return None


def add_frames(page: Page, frames: Sequence[FrameFact]) -> None:
    """Add the frames in their order."""
    limit = least_limit(frames)
    rows: list[list[Part]] = []
    before: float | None = None
    for frame in frames:
        name = frame.module or "(the model)"
        rows.append([(f"{name}  {frame.module_class}", "bold")])
        rows += [_cells(row, limit, before, page.symbols) for row in frame.rows]
        before = largest(frame, "output") or before
    add_grid(page, _columns(limit), rows)


def least_limit(frames: Sequence[FrameFact]) -> float:
    """The least of the largest numbers of all dtypes, to which all bars are drawn."""
    limits = [r.stats.limit for f in frames for r in f.rows if r.stats is not None]
    return min((limit for limit in limits if limit), default=FLOAT32_LIMIT)


def largest(frame: FrameFact, kind: str) -> float | None:
    """The largest finite magnitude among the values of this kind, None without any."""
    found = [row.stats for row in frame.rows if row.kind == kind and row.stats is not None]
    return max((one.abs_max for one in found if one.is_finite and one.limit), default=None)


def _columns(limit: float) -> tuple[Column, ...]:
    return (
        Column("value", is_right=False),
        Column("abs min"),
        Column("abs max"),
        Column("of limit"),
        Column(f"from 1 to {limit:.5g}", is_right=False, rank=1),
        Column("growth", is_right=False, rank=2),
        Column("dtype", is_right=False, rank=3),
    )


def _cells(row: RowFact, limit: float, before: float | None, symbols: Symbols) -> list[Part]:
    name: Part = (f"  {row.context}", QUIET if row.kind == "weight" else "")
    stats = row.stats
    if stats is None:
        return [name, "", (row.note, QUIET), "", "", "", ""]
    bar: Part = size_bar(stats, limit, symbols) if row.kind in {"output", "gradient"} else ""
    return [
        name,
        magnitude(stats.abs_min),
        (magnitude(stats.abs_max), style_of(stats)),
        limit_share(stats),
        bar,
        _growth(row, before, symbols),
        (stats.dtype, QUIET),
    ]


def _growth(row: RowFact, before: float | None, symbols: Symbols) -> Part:
    stats = row.stats
    if row.kind != "output" or stats is None or not before or not stats.is_finite:
        return ""
    times = stats.abs_max / before
    return (f"{symbols.times} {times:.3g}", CLOSE) if times > GROWTH else ""
