"""The report of `tdebug trace`: for each traced batch a table of its modules."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from .counting import counted
from .grid import Column, add_grid
from .look import Look
from .measures import is_noteworthy, limit_share, magnitude, percent, style_of
from .module_tree import in_tree_order
from .overflow import add_forecasts, add_watched_line, render_overflow
from .page import Page
from .palette import BAD, CLOSE, QUIET

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..facts.watching import FrameFact, FramesSeen, RowFact
    from ..watching.options import WatchOptions
    from ..watching.watch import WatchOutcome
    from .page import Part

COLUMNS = (
    Column("module", is_right=False),
    Column("class", is_right=False, rank=5),
    Column("value", is_right=False),
    Column("abs min"),
    Column("abs max"),
    Column("nan"),
    Column("inf"),
    Column("of limit"),
    Column("float16", is_right=False),
    Column("zeros", rank=2),
    Column("subnormal", rank=1),
    Column("dtype", is_right=False, rank=3),
    Column("shape", is_right=False, rank=4),
)
MOST_BATCHES = 10
# Text of the header that a trace file begins with; see `tdebug.overflow.trace_file`.
JSONL_HEADER = '{"format": "tdebug-trace", "version": 1}'


@dataclass
class TraceTally:
    """What was traced until now.

    Attributes:
        batches: The batches.
        bad: Those with nan or inf in a value.
        num_frames: Frames in all.
    """

    batches: set[int] = field(default_factory=set)
    bad: list[int] = field(default_factory=list)
    num_frames: int = 0

    def take(self, seen: FramesSeen) -> None:
        """Count one batch."""
        self.batches.add(seen.batch)
        self.num_frames += len(seen.frames)
        if _num_bad(seen):
            self.bad.append(seen.batch)


class _Line(NamedTuple):
    """One value of one call of a module."""

    name: str
    frame: FrameFact
    row: RowFact


def render_trace_batch(
    seen: FramesSeen, look: Look | None = None, *, top: int | None = None
) -> str:
    """One traced batch: the modules in the order of their tree, with their outputs.

    Weights and inputs are shown where they are bad or near a limit.

    Args:
        seen: The frames of the batch.
        look: How text is to look.
        top: Show only this many values, those nearest to the limit of their dtype.
    """
    page = Page(look or Look())
    lines = list(_lines_of(seen.frames)) if top is None else _nearest(seen.frames, top)
    page.add(*_heading(seen, len(lines), is_cut=top is not None))
    if lines:
        add_grid(page, COLUMNS, list(_cells_of(lines)))
    page.add("")
    return page.text()


def render_trace_end(
    outcome: WatchOutcome, options: WatchOptions, tally: TraceTally, look: Look | None = None
) -> str:
    """What stands below the traced batches.

    Args:
        outcome: What came of the training.
        options: What was to be traced.
        tally: What was.
        look: How text is to look.
    """
    look = look or Look()
    if outcome.has_failed or outcome.facts.detection is not None:
        return render_overflow(outcome, look)
    page = Page(look)
    add_forecasts(page, outcome.facts)
    page.gap()
    for note in (*outcome.report.notes, *_notes(outcome, options, tally)):
        page.add_labelled(("note", QUIET), note, indent=2, hang=10)
    bad = f"nan or inf in {batches_text(tally.bad)}" if tally.bad else ""
    add_watched_line(page, outcome, bad)
    return page.text()


def batches_text(numbers: Sequence[int]) -> str:
    """Batches in words, the first ten of them.

    >>> batches_text([3]), batches_text([1, 3])
    ('batch 3', 'batches 1, 3')
    """
    word = "batch" if len(numbers) == 1 else "batches"
    more = ", ..." if len(numbers) > MOST_BATCHES else ""
    return f"{word} {', '.join(map(str, numbers[:MOST_BATCHES]))}{more}"


def _notes(outcome: WatchOutcome, options: WatchOptions, tally: TraceTally) -> Iterator[str]:
    missed = [number for number in options.batches if number not in tally.batches]
    if missed:
        verb = "was" if len(missed) == 1 else "were"
        last = outcome.facts.num_batches - 1
        end = f"the last one was batch {last}" if last >= 0 else "no batch was"
        text = f"{batches_text(missed)} {verb} not reached: {end}."
        yield text[:1].upper() + text[1:]
    if tally.batches and not tally.num_frames:
        yield f"no module has a name like {' or '.join(map(repr, options.modules))}."


def _heading(seen: FramesSeen, num_lines: int, *, is_cut: bool) -> list[Part]:
    loss = "" if seen.loss is None else f", loss {seen.loss:.4g}"
    num_bad = _num_bad(seen)
    bad = f", nan or inf in {counted(num_bad, 'value')}" if num_bad else ", no nan, no inf"
    what = f": {counted(len(seen.frames), 'frame')}"
    cut = f", the {counted(num_lines, 'value')} nearest to a limit" if is_cut else ""
    return [(f"batch {seen.batch}", "bold"), loss + what, (bad, BAD if num_bad else ""), cut]


def _num_bad(seen: FramesSeen) -> int:
    rows = [row.stats for frame in seen.frames for row in frame.rows if row.stats is not None]
    return sum(not stats.is_finite for stats in rows)


def _lines_of(frames: tuple[FrameFact, ...]) -> Iterator[_Line]:
    for depth, name, frame in in_tree_order((frame.module, frame) for frame in frames):
        shown = [row for row in frame.rows if row.kind == "output" or is_noteworthy(row)]
        label = "  " * depth + (name or "(the model)")
        for row in shown:
            yield _Line(label, frame, row)
            label = "  " * (depth + 1)


def _nearest(frames: tuple[FrameFact, ...], top: int) -> list[_Line]:
    lines = [
        _Line(frame.module or "(the model)", frame, row)
        for frame in frames
        for row in frame.rows
        if row.stats is not None and row.stats.limit
    ]
    return sorted(lines, key=_nearness, reverse=True)[:top]


def _nearness(line: _Line) -> float:
    stats = line.row.stats
    if stats is None or not stats.is_finite:
        return math.inf
    return math.log(stats.abs_max or math.ulp(0.0)) / math.log(stats.limit or math.e)


def _cells_of(lines: list[_Line]) -> Iterator[list[Part]]:
    # Where all of them are the module's one output, that need not be said.
    is_plain = all(line.row.context == "output" for line in lines)
    for name, frame, row in lines:
        stats = row.stats
        value = "" if is_plain else row.context
        kind: Part = (frame.module_class if name.strip() else "", QUIET)
        if stats is None:
            yield [name, kind, value, "", (row.note, QUIET), *[""] * 8]
            continue
        style = style_of(stats)
        yield [
            (name, style),
            kind,
            value,
            magnitude(stats.abs_min),
            (magnitude(stats.abs_max), style),
            (str(stats.nan_count or ""), BAD),
            (str(stats.inf_count or ""), BAD),
            limit_share(stats),
            (row.forecast, CLOSE),
            percent(stats.zero_share) if stats.zero_share else "",
            percent(stats.subnormal_share) if stats.subnormal_share else "",
            (stats.dtype, QUIET),
            (" x ".join(map(str, stats.shape)) or "scalar", QUIET),
        ]
