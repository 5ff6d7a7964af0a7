"""The report: everything that a run of the checks has to say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .severity import Severity
from .status import Status

if TYPE_CHECKING:
    from .finding import Finding
    from .stage import Stage

EXIT_CLEAN, EXIT_FOUND, EXIT_FAILED, EXIT_INTERRUPTED = 0, 1, 2, 130


@dataclass(frozen=True)
class StageResult:
    """What became of one stage.

    Attributes:
        stage: The stage.
        status: Passed, failed, skipped or errored.
        reason: Why it was skipped or errored; "" otherwise.
        summary: What was looked at, in a few words: `256 of 4000 samples read`.
        seconds: Wall time that the user's code and the observers took together.
        output: What the user's code printed during a stage that failed; capped.
    """

    stage: Stage
    status: Status
    reason: str = ""
    summary: str = ""
    seconds: float = 0.0
    output: str = ""


@dataclass(frozen=True)
class CheckResult:
    """What became of one check. `traceback` is set where the check itself crashed."""

    code: str
    name: str
    stage: Stage
    status: Status
    reason: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class Report:
    """Everything that a run of the checks has to say; reporters turn it into text.

    Attributes:
        target: What was checked, as the user wrote it.
        stages: One result a stage, in order.
        checks: One result a check, in the order of their codes.
        findings: Worst first within the stage that is broken; stages in order.
        ignored: Findings that `--ignore`, `--select` or the spec set aside.
        notes: What the reader should know: parts that tdebug made up, what the budget cut.
        seconds: Wall time of the whole run.
        interrupted: True if the user stopped it; the findings until then are here.
        device: The device that the stages ran on.
        versions: Versions of python, torch and what else the pipeline uses.
    """

    target: str
    stages: tuple[StageResult, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    ignored: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    interrupted: bool = False
    device: str = "cpu"
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """False if a check or a stage crashed inside tdebug, or the user stopped the run."""
        statuses = [r.status for r in self.stages] + [r.status for r in self.checks]
        return not self.interrupted and Status.ERRORED not in statuses

    def count(self, severity: Severity) -> int:
        """The number of findings of just this severity."""
        return sum(finding.severity is severity for finding in self.findings)

    def exit_code(self, fail_on: Severity = Severity.ERROR) -> int:
        """0 clean, 1 findings at or above `fail_on`, 2 tdebug failed, 130 interrupted."""
        if self.interrupted:
            return EXIT_INTERRUPTED
        if not self.is_complete:
            return EXIT_FAILED
        found = any(f.severity.rank >= fail_on.rank for f in self.findings)
        return EXIT_FOUND if found else EXIT_CLEAN

    def __str__(self) -> str:
        from ..reporters.terminal import render_terminal  # noqa: PLC0415 - reporters build on us

        return render_terminal(self)

    def _repr_html_(self) -> str:
        from ..reporters.notebook import render_notebook  # noqa: PLC0415 - reporters build on us

        return render_notebook(self)
