"""The stages as lines: one a stage, or one for a run of stages that were skipped alike."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from ..report import Severity, StageResult, Status

if TYPE_CHECKING:
    from ..report import Report


@dataclass(frozen=True)
class StageLine:
    """What one line says.

    Attributes:
        status: Of the stage, or of all the stages of the line.
        names: `dataset`, or `collate to step`.
        seconds: `1.2 s`; "" for stages that were skipped.
        told: What was looked at; why it was skipped, or how tdebug crashed.
        num_warnings: Warnings among the findings of the stage.
    """

    status: Status
    names: str
    seconds: str
    told: str
    num_warnings: int = 0


def stage_lines(report: Report) -> list[StageLine]:
    """The lines in the order of the stages."""
    return [_line(report, list(group)) for _, group in groupby(report.stages, key=_alike)]


def _alike(result: StageResult) -> object:
    return result.reason if result.status is Status.SKIPPED else result.stage


def _line(report: Report, results: list[StageResult]) -> StageLine:
    first, last = results[0], results[-1]
    names = str(first.stage) if first is last else f"{first.stage} to {last.stage}"
    if first.status is Status.SKIPPED:
        return StageLine(first.status, names, "", f"skipped: {first.reason}")
    warnings = sum(
        f.stage is first.stage and f.severity is Severity.WARNING for f in report.findings
    )
    told = ": ".join(text for text in (first.reason, first.summary) if text)
    return StageLine(first.status, names, f"{first.seconds:.1f} s", told, warnings)
