"""What each check says of the facts that there are."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .checks.registry import Check, Undecided, all_checks, run_check
from .report import CheckResult, Finding, Severity, Stage, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .choice import Choice
    from .report import Problem


@dataclass(frozen=True)
class Verdict:
    """What one check says.

    Attributes:
        status: Passed, failed, skipped or errored.
        problems: What it found.
        reason: Why it was skipped or errored.
        traceback: Where it crashed.
        seen: The facts that it looked at.
    """

    status: Status = Status.SKIPPED
    problems: tuple[Problem, ...] = ()
    reason: str = "what it looks at was not reached"
    traceback: str = ""
    seen: tuple[Any, ...] = ()


class Verdicts:
    """What all checks say; a check is asked again only when a fact that it looks at has changed."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        self._by_code: dict[str, Verdict] = {}

    def update(self, facts: Mapping[type, Any]) -> None:
        """Ask the checks that may say something else now."""
        for check in all_checks():
            kinds = (*check.needs.values(), *check.uses.values())
            seen = tuple(facts.get(kind) for kind in kinds)
            before = self._by_code.get(check.code)
            if before is None or any(a is not b for a, b in zip(before.seen, seen, strict=True)):
                self._by_code[check.code] = replace(judge(check, facts), seen=seen)

    def findings(self, *, counted: bool) -> list[Finding]:
        """All findings of the checks that count, or of those that do not."""
        return [
            _finding(check, problem, self._choice.severity_of(check, problem))
            for check in all_checks()
            if check.code in self._by_code and self._choice.counts(check) is counted
            for problem in self._by_code[check.code].problems
        ]

    @property
    def broken(self) -> Stage | None:
        """The earliest stage with an error that counts."""
        found = self.findings(counted=True)
        errors = [finding.stage for finding in found if finding.severity is Severity.ERROR]
        return min(errors, key=lambda stage: stage.rank, default=None)

    def result(self, check: Check, shown: set[str]) -> CheckResult:
        """What became of one check, where these codes are shown in the report."""
        verdict = self._by_code.get(check.code) or Verdict()
        status, reason = self._status(check, verdict, shown)
        return CheckResult(check.code, check.name, check.stage, status, reason, verdict.traceback)

    def _status(self, check: Check, verdict: Verdict, shown: set[str]) -> tuple[Status, str]:
        broken = self.broken
        if not self._choice.counts(check):
            return Status.SKIPPED, "it was not selected"
        if verdict.status is Status.FAILED and check.code not in shown:
            another = "another check says more"
            return Status.SKIPPED, another if check.is_fallback else f"the {broken} stage is broken"
        is_later = broken is not None and check.stage.rank > broken.rank
        if verdict.status is Status.SKIPPED and is_later:
            return Status.SKIPPED, f"the {broken} stage is broken"
        return verdict.status, verdict.reason


def judge(check: Check, facts: Mapping[type, Any]) -> Verdict:
    """What the check says; a crash of the check itself is reported as errored, never hidden."""
    try:
        problems = run_check(check, facts)
    except Undecided as undecided:
        return Verdict(reason=str(undecided))
    except Exception:  # noqa: BLE001 - a check that crashes may raise anything
        return Verdict(Status.ERRORED, reason="it crashed", traceback=traceback.format_exc())
    if problems is None:
        return Verdict()
    return Verdict(Status.FAILED if problems else Status.PASSED, tuple(problems), "")


def _finding(check: Check, problem: Problem, severity: Severity) -> Finding:
    return Finding(
        code=check.code,
        name=check.name,
        stage=problem.stage or check.stage,
        severity=severity,
        message=problem.message,
        where=problem.where,
        hint=problem.hint,
        location=problem.location,
        values=problem.values,
        stack=problem.stack,
    )


def arrange(findings: Iterable[Finding], broken: Stage | None) -> tuple[Finding, ...]:
    """Stages in order, worst first in each; nothing of the stages after the broken one.

    Where something is broken, what is said only for information comes last.
    What a fallback says in general is dropped where another check has found an error.
    """
    kept = [f for f in findings if broken is None or f.stage.rank <= broken.rank]
    fallbacks = {check.code for check in all_checks() if check.is_fallback}
    if any(f.severity is Severity.ERROR and f.code not in fallbacks for f in kept):
        kept = [f for f in kept if f.code not in fallbacks]
    return tuple(sorted(kept, key=lambda finding: _place_of(finding, broken)))


def _place_of(finding: Finding, broken: Stage | None) -> tuple[bool, int, int, str]:
    is_aside = broken is not None and finding.severity is Severity.INFO
    return is_aside, finding.stage.rank, -finding.severity.rank, finding.code
