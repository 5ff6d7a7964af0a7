"""The report in a notebook: an HTML table without scripts, styles inline, all text escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ..report import Severity, Status
from .counting import counted, verdict_of
from .palette import UNICODE
from .printable import printable, shortened
from .stage_lines import StageLine, stage_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..report import CheckResult, Finding, Location, Report

# Tones that are read on a light and on a dark page.
COLOR = {Severity.ERROR: "#e5484d", Severity.WARNING: "#c27803", Severity.INFO: "#3b82f6"}
CELL = "text-align:left;vertical-align:top;padding:.3em .8em"
QUIET = "opacity:.7"


def render_notebook(report: Report) -> str:
    """The report as an HTML fragment: findings worst first, then the stages and the notes."""
    ranked = sorted(report.findings, key=lambda finding: -finding.severity.rank)
    parts = [
        _headline(report),
        _table(_finding_row(finding) for finding in ranked),
        *(_crash(check) for check in report.checks if check.status is Status.ERRORED),
        _table(_stage_row(line) for line in stage_lines(report)),
        *(f'<div style="{QUIET}">note: {_text(note)}</div>' for note in report.notes),
    ]
    return f'<div class="tdebug">{"".join(parts)}</div>'


def _headline(report: Report) -> str:
    worst = max((f.severity for f in report.findings), key=lambda s: s.rank, default=None)
    color = f"color:{COLOR[worst]}" if worst else ""
    verdict = f'<span style="{color}">{verdict_of(report)}</span>'
    return f"<div><b>{_text(report.target)}: {verdict}</b></div>"


def _table(rows: Iterable[str]) -> str:
    body = "".join(rows)
    return f'<table style="border-collapse:collapse">{body}</table>' if body else ""


def _finding_row(finding: Finding) -> str:
    name = f"<b>{_text(finding.code)} {_text(finding.name)}</b>"
    kind = f'<span style="color:{COLOR[finding.severity]}">{finding.severity}</span>'
    fields = [("where", finding.where), ("hint", finding.hint)]
    told = "".join(f"<div><i>{label}</i> {_text(text)}</div>" for label, text in fields if text)
    frames = finding.stack or ((finding.location,) if finding.location else ())
    return _row(
        f"{name}<br>{kind} {finding.stage}",
        f"<div>{_text(finding.message)}</div>{told}{''.join(map(_frame, frames[-10:]))}",
    )


def _frame(frame: Location) -> str:
    function = f" in {frame.function}" if frame.function else ""
    code = f"<br><code>{_text(frame.code.strip())}</code>" if frame.code else ""
    return f'<div style="{QUIET}">{_text(f"{frame}{function}")}{code}</div>'


def _crash(check: CheckResult) -> str:
    name = f"<b>{_text(check.code)} {_text(check.name)}</b>"
    return f"<div>{name}: the check itself crashed</div><pre>{_text(check.traceback)}</pre>"


def _stage_row(line: StageLine) -> str:
    warned = f" ({counted(line.num_warnings, 'warning')})" if line.num_warnings else ""
    return _row(
        f"{UNICODE.marks[line.status]} {line.names}", line.seconds, _text(line.told + warned)
    )


def _row(*cells: str) -> str:
    return "<tr>" + "".join(f'<td style="{CELL}">{cell}</td>' for cell in cells) + "</tr>"


def _text(text: str) -> str:
    return escape(printable(shortened(text))).replace("\n", "<br>")
