"""The report for people at a terminal: what is wrong first, then how the run went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report import Severity, Status
from .look import Look
from .page import Page
from .palette import CRASHED, QUIET
from .printable import printed_lines
from .terminal_closing import add_closing
from .terminal_finding import add_finding, add_info
from .terminal_stages import add_stages

if TYPE_CHECKING:
    from ..report import Report

LINES_OF_OUTPUT = 10


def render_terminal(report: Report, look: Look | None = None) -> str:
    """The report as text for a terminal.

    Findings come first, errors before warnings; then what the failed stage printed, notes, and one
    line a stage. The last line counts.
    """
    page = Page(look or Look())
    for severity in (Severity.ERROR, Severity.WARNING):
        for finding in report.findings:
            if finding.severity is severity:
                page.gap()
                add_finding(page, finding)
    _add_crashes(page, report)
    _add_output(page, report)
    _add_infos(page, report)
    _add_notes(page, report)
    add_stages(page, report)
    add_closing(page, report)
    return page.text()


def _add_crashes(page: Page, report: Report) -> None:
    """The checks that crashed: a fault of tdebug, so with the whole traceback."""
    for check in report.checks:
        if check.status is Status.ERRORED:
            page.gap()
            page.add((f"{check.code} {check.name}", CRASHED), f"  errored  {check.stage}")
            page.add("the check itself crashed: this is a fault of tdebug, not of yours.", indent=2)
            page.add((check.traceback.rstrip(), QUIET), indent=4)


def _add_output(page: Page, report: Report) -> None:
    for stage in report.stages:
        lines = printed_lines(stage.output)
        if not any(lines):
            continue
        shown = lines[-LINES_OF_OUTPUT:]
        count = "" if shown == lines else f", the last {len(shown)} of {len(lines)} lines"
        page.gap()
        page.add((f"printed in the {stage.stage} stage{count}", QUIET))
        for line in shown:
            page.add_labelled((page.symbols.bar, QUIET), line, indent=2, hang=4)


def _add_infos(page: Page, report: Report) -> None:
    page.gap()
    for finding in report.findings:
        if finding.severity is Severity.INFO:
            add_info(page, finding)


def _add_notes(page: Page, report: Report) -> None:
    page.gap()
    for note in report.notes:
        page.add_labelled(("note", QUIET), note, indent=2, hang=10)
