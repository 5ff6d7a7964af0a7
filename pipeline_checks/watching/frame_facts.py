"""Frames and detections of `tdebug.overflow` become facts."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

from ...overflow import forecast_row, format_frame, format_json_line, largest_finite
from ..facts.watching import DetectionFact, FrameFact, RowFact, StatsFact
from ..observe.origins import origin_fact

if TYPE_CHECKING:
    from ...overflow import Frame, OverflowReport, Row, TensorStats
    from ..observe.user_code import UserCode


class FrameFacts:
    """Takes the frames of traced batches, those of the modules that are asked for.

    Args:
        patterns: Patterns that a module's name must match one of, as a file's would; () for all.
        has_forecast: Whether what float16 would make of the values is told.
    """

    def __init__(self, patterns: tuple[str, ...], *, has_forecast: bool) -> None:
        self._patterns, self._has_forecast = patterns, has_forecast
        self._frames: list[Frame] = []

    def take(self, frame: Frame) -> None:
        """Take one frame, or leave it."""
        patterns = self._patterns
        if not patterns or any(fnmatch.fnmatchcase(frame.module, p) for p in patterns):
            self._frames.append(frame)

    def take_all(self) -> tuple[list[Frame], tuple[FrameFact, ...]]:
        """Hand over what was taken since the last time, as it came and as facts."""
        frames, self._frames = self._frames, []
        return frames, tuple(frame_fact(f, has_forecast=self._has_forecast) for f in frames)


def stats_fact(stats: TensorStats | None) -> StatsFact | None:
    """The numbers of one tensor."""
    if stats is None:
        return None
    return StatsFact(
        shape=stats.shape,
        dtype=stats.dtype,
        abs_min=stats.abs_min,
        abs_max=stats.abs_max,
        finite_abs_max=stats.finite_abs_max,
        nan_count=stats.nan_count,
        inf_count=stats.inf_count,
        zero_share=stats.zero_share,
        subnormal_share=stats.subnormal_share,
        limit=largest_finite(stats.dtype),
    )


def frame_fact(frame: Frame, *, has_forecast: bool = False) -> FrameFact:
    """One forward of one module."""
    return FrameFact(
        module=frame.module,
        module_class=frame.module_class,
        batch=frame.batch_number,
        rows=tuple(_row_fact(frame, row, has_forecast=has_forecast) for row in frame.rows),
        text=format_frame(frame),
        line=format_json_line(frame),
    )


def _row_fact(frame: Frame, row: Row, *, has_forecast: bool) -> RowFact:
    found = forecast_row(frame, row) if has_forecast else None
    verdict = found.verdict if found is not None else ""
    return RowFact(row.context, row.kind, stats_fact(row.stats), row.note, verdict)


def detection_fact(report: OverflowReport, classic: str, code: UserCode) -> DetectionFact:
    """The first nan or inf.

    Args:
        report: What the detector found.
        classic: What it printed.
        code: Which code is the user's.
    """
    origin = report.origin
    batch = report.batch_number
    return DetectionFact(
        batch=batch,
        stage=report.stage,
        where=report.where,
        note=report.note,
        frames=tuple(frame_fact(frame) for frame in report.frames),
        origin=None if origin is None else origin_fact(origin, batch or 0, code),
        origin_text="" if origin is None else origin.summary(),
        classic=classic,
    )
