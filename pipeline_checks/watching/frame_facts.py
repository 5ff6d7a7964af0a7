"""Frames and detections of `tdebug.overflow` become facts."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from ...overflow import forecast_row, format_frame, format_json_line, largest_finite
from ..facts.numerics import OriginFact
from ..facts.watching import DetectionFact, FrameFact, RowFact, StatsFact
from ..observe.user_code import is_own, shown_path
from ..report import Location, Stage

if TYPE_CHECKING:
    from ...overflow import Frame, Origin, OverflowReport, Row, TensorStats
    from ...overflow import Location as SourceLine


def stats_fact(stats: TensorStats | None) -> StatsFact | None:
    """The numbers of one tensor."""
    if stats is None:
        return None
    return StatsFact(
        shape=stats.shape,
        dtype=stats.dtype,
        abs_min=stats.abs_min,
        abs_max=stats.abs_max,
        nan_count=stats.nan_count,
        inf_count=stats.inf_count,
        zero_share=stats.zero_share,
        subnormal_share=stats.subnormal_share,
        limit=largest_finite(stats.dtype),
    )


def frame_fact(frame: Frame) -> FrameFact:
    """One forward of one module."""
    return FrameFact(
        module=frame.module,
        module_class=frame.module_class,
        batch=frame.batch_number,
        rows=tuple(_row_fact(frame, row) for row in frame.rows),
        text=format_frame(frame),
        line=format_json_line(frame),
    )


def _row_fact(frame: Frame, row: Row) -> RowFact:
    found = forecast_row(frame, row)
    verdict = found.verdict if found is not None else ""
    return RowFact(row.context, row.kind, stats_fact(row.stats), row.note, verdict)


def detection_fact(report: OverflowReport, classic: io.StringIO) -> DetectionFact:
    """The first nan or inf."""
    return DetectionFact(
        batch=report.batch_number,
        stage=report.stage,
        where=report.where,
        note=report.note,
        frames=tuple(frame_fact(frame) for frame in report.frames),
        origin=None if report.origin is None else _origin_fact(report.origin, report),
        origin_text="" if report.origin is None else report.origin.summary(),
        classic=classic.getvalue(),
    )


def _origin_fact(origin: Origin, report: OverflowReport) -> OriginFact:
    later = origin.became_nan_in
    maxima = [stats.abs_max for stats in origin.inputs]
    return OriginFact(
        stage=Stage.FORWARD if origin.phase == "forward" else Stage.BACKWARD,
        batch=report.batch_number or 0,
        operator=origin.operator,
        kind=origin.kind,
        module=origin.module,
        module_type=origin.module_class,
        dtype=origin.output.dtype if origin.output is not None else "",
        limit=origin.dtype_limit,
        input_max=max(maxima, default=None),
        would_be=origin.float64_abs_max,
        rows=origin.rows,
        location=_line(origin.user_location) or _line(origin.location),
        became_nan_in=later.operator if later is not None else "",
        became_nan_module=later.module if later is not None else "",
        summary=origin.summary(),
    )


def _line(place: SourceLine | None) -> Location | None:
    if place is None or is_own(place.file):
        return None
    return Location(shown_path(place.file), place.line, place.function, place.source or None)
