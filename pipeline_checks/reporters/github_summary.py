"""The report as Markdown, for the summary page of a step on GitHub."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .counting import verdict_of
from .palette import UNICODE
from .plain_finding import plain_finding
from .printable import one_line, printable
from .stage_lines import stage_lines

if TYPE_CHECKING:
    from ..report import Finding, Report

# "limited to a maximum size of 1MiB", per step,
# https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
MOST_BYTES = 1024 * 1024
CUT = "\n\nThe summary was cut here: GitHub takes no more than 1 MiB.\n"
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@-])")


def render_github_summary(report: Report) -> str:
    """Every finding, worst first, then the stages, as Markdown of at most 1 MiB."""
    ranked = sorted(report.findings, key=lambda finding: -finding.severity.rank)
    verdict = verdict_of(report)
    text = "\n".join(
        [
            f"### tdebug: {_text(report.target)}: {verdict}",
            "",
            *map(_block, ranked),
            *_stage_rows(report),
            *(f"- note: {_text(note)}" for note in report.notes),
            "",
        ]
    )
    return _cut(text)


def _block(finding: Finding) -> str:
    head = f"**{_text(finding.code)} {_text(finding.name)}** {finding.severity}, {finding.stage}"
    body = "\n".join(f"    {line}" for line in plain_finding(finding).split("\n"))
    return f"{head}\n\n{body}\n"


def _stage_rows(report: Report) -> list[str]:
    rows = [
        f"| {UNICODE.marks[line.status]} | {line.names} | {_text(line.told)} |"
        for line in stage_lines(report)
    ]
    return ["| | stage | |", "|-|-|-|", *rows, ""]


def _text(text: str) -> str:
    """Text that Markdown takes as it is: nothing of it is markup, a link, a mention or HTML."""
    return _SPECIAL.sub(r"\\\1", one_line(printable(text)))


def _cut(text: str) -> str:
    data = text.encode("utf-8")
    if len(data) <= MOST_BYTES:
        return text
    return data[: MOST_BYTES - len(CUT)].decode("utf-8", "ignore") + CUT
