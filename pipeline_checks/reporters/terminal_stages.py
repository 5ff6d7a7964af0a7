"""The stages in the terminal: mark, name, seconds, and what was looked at or why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report import Status
from .counting import counted
from .palette import QUIET, STATUS_STYLE
from .stage_lines import StageLine, stage_lines

if TYPE_CHECKING:
    from ..report import Report
    from .page import Page, Part

INDENT, HANG = 2, 23


def add_stages(page: Page, report: Report) -> None:
    """Add how each stage went."""
    page.gap()
    for line in stage_lines(report):
        mark = page.symbols.marks[line.status]
        if line.status is Status.SKIPPED:
            start = f"{mark} {line.names:<17}  "
            hang = INDENT + len(start)
            page.add_labelled((start, QUIET), (line.told, QUIET), indent=INDENT, hang=hang)
        else:
            name = (f"{mark} {line.names:<11} ", STATUS_STYLE[line.status])
            seconds = (f"{line.seconds:>5}", QUIET)
            page.add_labelled([name, seconds], *_told(page, line), indent=INDENT, hang=HANG)


def _told(page: Page, line: StageLine) -> list[Part]:
    if not line.num_warnings:
        return [line.told]
    dot: Part = (page.symbols.dot if line.told else "", QUIET)
    return [line.told, dot, (counted(line.num_warnings, "warning"), "yellow")]
