"""Frames one below the other, each with its values, so that growth shows at a glance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .grid import Column, add_grid
from .measures import limit_share, magnitude, size_bar, style_of
from .palette import CLOSE, QUIET

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..facts.watching import FrameFact, RowFact
    from .page import Page, Part
    from .palette import Symbols

# An output this many times as large as the one before it is marked.
GROWTH = 1.5
# A module that makes its input this many times as large is named in the story.
STRONG_GROWTH = 10.0
FLOAT32_LIMIT = 3.4028234663852886e38


@dataclass(frozen=True)
class Growth:
    """A module whose output is much larger than what it read."""

    frame: FrameFact
    largest_input: float
    largest_output: float

    @property
    def times(self) -> float:
        """How many times as large."""
        return self.largest_output / self.largest_input


def strongest_growth(frames: Sequence[FrameFact]) -> Growth | None:
    """The module that made values grow most, of those near enough to the end to matter."""
    limit = least_limit(frames)
    found = [growth for frame in frames if (growth := _growth_in(frame)) is not None]
    strong = [
        growth
        for growth in found
        if growth.times > STRONG_GROWTH and growth.largest_output > limit / 1000
    ]
    return max(strong, key=lambda growth: growth.times, default=None)


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
        Column("module and its values", is_right=False),
        Column("abs min"),
        Column("abs max"),
        Column("of limit"),
        Column(f"from 1 to {limit:.5g}", is_right=False, rank=1),
        Column("growth", is_right=False, rank=2),
        Column("dtype", is_right=False, rank=3),
    )


def _growth_in(frame: FrameFact) -> Growth | None:
    read, written = largest(frame, "input"), largest(frame, "output")
    return Growth(frame, read, written) if read and written else None


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
