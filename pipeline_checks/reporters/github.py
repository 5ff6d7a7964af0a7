"""The report as workflow commands, which GitHub shows as annotations beside the user's lines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..report import Severity
from .counting import counted, verdict_of
from .plain_finding import plain_finding
from .printable import one_line, printable

if TYPE_CHECKING:
    from ..report import Finding, Location, Report

# "10 warning annotations, 10 error annotations, and 10 notice annotations per step",
# https://docs.github.com/en/rest/checks/runs (limits of annotations in workflow runs).
MOST_OF_A_KIND = 10
COMMAND = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render_github(report: Report) -> str:
    """One workflow command a finding, worst first, ten of a kind, and a line that counts.

    Files are named from the root of the repository (`GITHUB_WORKSPACE`), as GitHub wants them.
    What is over the limits is in the step summary, see `render_github_summary`.
    """
    lines: list[str] = []
    for severity in reversed(Severity):
        found = [finding for finding in report.findings if finding.severity is severity]
        lines += map(_command, found[:MOST_OF_A_KIND])
        if len(found) > MOST_OF_A_KIND:
            more = counted(len(found) - MOST_OF_A_KIND, "finding")
            lines.append(f"{more} more of severity {severity} in the summary of this step")
    lines.append(f"tdebug: {one_line(printable(report.target))}: {verdict_of(report)}")
    return "\n".join(lines) + "\n"


def _command(finding: Finding) -> str:
    properties = {**_place(finding.location), "title": f"{finding.code} {finding.name}"}
    told = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{COMMAND[finding.severity]} {told}::{_data(plain_finding(finding))}"


def _place(location: Location | None) -> dict[str, str]:
    if location is None:
        return {}
    place = {"file": _from_repository_root(location.file)}
    return place if location.line is None else {**place, "line": str(location.line)}


def _from_repository_root(file: str) -> str:
    root = os.environ.get("GITHUB_WORKSPACE")
    if not root:
        return file
    path = Path(file).absolute()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else file


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(printable(text)).replace(":", "%3A").replace(",", "%2C")
