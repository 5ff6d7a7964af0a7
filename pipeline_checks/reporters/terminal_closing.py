"""The last lines in the terminal: counts, what is missing from the report, how to read on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report import Severity, Status
from .counting import counted, counts_of
from .palette import CRASHED, QUIET

if TYPE_CHECKING:
    from ..report import Report
    from .page import Page, Part


def add_closing(page: Page, report: Report) -> None:
    """Add what was set aside, and the line that counts."""
    page.gap()
    if report.ignored:
        codes = ", ".join(dict.fromkeys(finding.code for finding in report.ignored))
        page.add((f"{counted(len(report.ignored), 'finding')} ignored: {codes}", QUIET))
    if worst := _worst_code(report):
        page.add((f"tdebug explain {worst} tells why it matters and how to fix it", QUIET))
    parts: list[Part] = [(f"{report.target}: ", "bold"), _verdict(report)]
    for more in _circumstances(report):
        parts += [(page.symbols.dot, QUIET), more]
    page.add(*parts)


def _worst_code(report: Report) -> str:
    worst = max(report.findings, key=lambda f: f.severity.rank, default=None)
    return worst.code if worst and worst.severity is not Severity.INFO else ""


def _verdict(report: Report) -> Part:
    if report.count(Severity.ERROR):
        return (counts_of(report), "bold red")
    if report.count(Severity.WARNING):
        return (counts_of(report), "bold yellow")
    if not report.is_complete:
        return (counts_of(report) or "nothing found", CRASHED)
    more = f" ({counts_of(report)})" if report.findings else ""
    return (f"no problem found{more}", "bold green")


def _circumstances(report: Report) -> list[Part]:
    statuses = [result.status for result in report.stages + report.checks]
    crashed = statuses.count(Status.ERRORED)
    told: list[Part] = []
    if report.interrupted:
        told.append(("interrupted: the report is not complete", CRASHED))
    if crashed:
        told.append((f"tdebug failed in {counted(crashed, 'place')}", CRASHED))
    passed = sum(result.status is Status.PASSED for result in report.stages)
    if passed:
        told.append((f"{counted(passed, 'stage')} passed", QUIET))
    told.append((f"{report.seconds:.1f} s on {report.device}", QUIET))
    return told
