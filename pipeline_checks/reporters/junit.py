"""The report as JUnit XML, for CI servers: a suite a stage, a case a check."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from junitparser import Error, Failure, JUnitXml, Skipped, SystemOut, TestCase, TestSuite

from ..report import CheckResult, Severity, Status
from .plain_finding import plain_finding
from .printable import one_line, printable, printed_lines

if TYPE_CHECKING:
    from ..report import Finding, Report, StageResult

# A general check has no findings in the report where a special one has found the cause.
SAID_BY_OTHERS = "what it found follows from other findings"


def render_junit(report: Report, *, fail_on: Severity = Severity.ERROR) -> str:
    """The report as JUnit XML.

    JUnit knows no warnings: a check fails if one of its findings is at or above `fail_on`, and
    what it found below that is in the output of the case. A check that crashed is an error. The
    text is ASCII, so that it is right in whatever encoding it is written.
    """
    document = JUnitXml("tdebug")
    for result in report.stages:
        document.add_testsuite(_suite(report, result, fail_on))
    _add_totals(document, report)
    file = BytesIO()
    document.write(file, pretty=True)
    return file.getvalue().decode("utf-8").encode("ascii", "xmlcharrefreplace").decode("ascii")


def _add_totals(document: JUnitXml, report: Report) -> None:
    """The counts; and the times, which are measured for a stage and not for a check."""
    document.update_statistics()  # type: ignore[no-untyped-call]  # junitparser annotates in part
    for suite, result in zip(document, report.stages, strict=True):
        suite.time = round(result.seconds, 3)
    document.time = round(report.seconds, 3)


def _suite(report: Report, result: StageResult, fail_on: Severity) -> TestSuite:
    suite = TestSuite(f"tdebug.{result.stage}")
    suite.add_property("target", printable(report.target))
    suite.add_property("status", result.status.value)
    suite.add_property("summary", printable(result.reason or result.summary))
    for check in _checks(report):
        if check.stage is result.stage:
            suite.add_testcase(_case(report, check, fail_on))
    if result.status is Status.ERRORED:
        suite.add_testcase(_crash(result))
    if result.output:
        output = SystemOut("\n".join(printed_lines(result.output)))
        suite.append(output)  # type: ignore[no-untyped-call]  # junitparser annotates in part
    return suite


def _checks(report: Report) -> list[CheckResult]:
    """The checks, and whatever else has findings: nothing that was found is left out."""
    known = {check.code for check in report.checks}
    others = {f.code: f for f in report.findings if f.code not in known}
    return [
        *report.checks,
        *(CheckResult(f.code, f.name, f.stage, Status.FAILED) for f in others.values()),
    ]


def _case(report: Report, check: CheckResult, fail_on: Severity) -> TestCase:
    case = TestCase(f"{check.code} {check.name}", f"tdebug.{check.stage}")
    found = [finding for finding in report.findings if finding.code == check.code]
    failing = [finding for finding in found if finding.severity.rank >= fail_on.rank]
    passing = [finding for finding in found if finding.severity.rank < fail_on.rank]
    if check.status is Status.ERRORED:
        error = Error(printable(check.reason))
        error.text = printable(check.traceback)
        case.result = [error]
    elif failing:
        case.result = [_failure(failing)]
    elif not found and check.status is not Status.PASSED:
        case.result = [Skipped(printable(check.reason or SAID_BY_OTHERS))]
    if passing:
        case.system_out = "\n\n".join(f"{f.severity}: {plain_finding(f)}" for f in passing)
    return case


def _failure(findings: list[Finding]) -> Failure:
    worst = max(findings, key=lambda finding: finding.severity.rank)
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    failure = Failure(printable(one_line(worst.message)) + more, worst.severity.value)
    failure.text = "\n\n".join(map(plain_finding, findings))
    return failure


def _crash(result: StageResult) -> TestCase:
    """A case for the stage itself, in which tdebug crashed."""
    case = TestCase("stage", f"tdebug.{result.stage}")
    case.result = [Error(printable(result.reason))]
    return case
