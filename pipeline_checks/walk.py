"""The walk: listen to the stages, run the checks, stop at the first broken stage, report."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .checks.registry import Check, Undecided, all_checks, run_check
from .events import (
    Death,
    Event,
    Note,
    Observed,
    Output,
    Progress,
    SpecMistake,
    StageBegan,
    StageEnded,
)
from .facts import LoadFacts, SetupFacts
from .report import STAGES, CheckResult, Finding, Report, Severity, Stage, StageResult, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .report import Problem

NOT_BUILT = {Stage.EVALUATE, Stage.DISTRIBUTED}
# Where a finding has no line of its own, the part that its stage is about has one.
PARTS_OF_STAGE = {
    Stage.LOAD: ("model", "trainer", "pipeline"),
    Stage.DATASET: ("dataset", "trainer", "pipeline"),
    Stage.COLLATE: ("collate_fn", "dataloader", "dataset", "trainer", "pipeline"),
    Stage.FORWARD: ("model", "trainer", "pipeline"),
    Stage.BACKWARD: ("model", "trainer", "pipeline"),
    Stage.STEP: ("optimizer", "train_step", "trainer", "pipeline"),
}


@dataclass(frozen=True)
class Choice:
    """Which checks count.

    Attributes:
        select: Code prefixes or names; only these count where any are given.
        ignore: Code prefixes or names that do not count.
        severity: Code or name to the severity that its findings get.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: dict[str, Severity] = field(default_factory=dict)

    def counts(self, check: Check) -> bool:
        """Whether findings of the check count."""
        if any(check.matches(pattern) for pattern in self.ignore):
            return False
        return not self.select or any(check.matches(pattern) for pattern in self.select)

    def severity_of(self, check: Check, problem: Problem) -> Severity:
        """The severity of a finding: the user's choice, else the problem's, else the check's."""
        chosen = [level for pattern, level in self.severity.items() if check.matches(pattern)]
        return chosen[-1] if chosen else problem.severity or check.severity


class SpecMistakesError(ValueError):
    """The spec names things that are not there; `mistakes` lists them."""

    def __init__(self, mistakes: Sequence[SpecMistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(_mistake_line(mistake) for mistake in mistakes))


def _mistake_line(mistake: SpecMistake) -> str:
    place = mistake.file if mistake.line is None else f"{mistake.file}:{mistake.line}"
    return " ".join(part for part in (f"{place}: {mistake.message}", mistake.remedy) if part)


class Walk:
    """Collects what the stages tell and decides after each whether to go on.

    Feed it events with `take`; it answers False once a stage is broken. `report` may be asked
    for at any time, also after Ctrl-C or the death of the worker.
    """

    def __init__(self, target: str, choice: Choice | None = None) -> None:
        self.target = target
        self.choice = choice or Choice()
        self.facts: dict[type, Any] = {}
        self.doing: Progress | None = None
        self._began = time.monotonic()
        self._ended: dict[Stage, StageEnded] = {}
        self._current: Stage | None = None
        self._output: dict[Stage, str] = {}
        self._notes: list[str] = []
        self._mistakes: list[SpecMistake] = []
        self._results: dict[str, _Verdict] = {}

    def take(self, event: Event) -> bool:
        """Take one event; False means that the walk is over and nothing more need be run."""
        match event:
            case StageBegan(stage):
                self._current = stage
            case Progress():
                self.doing = event
            case Observed(fact):
                self.facts[type(fact)] = fact
            case Output(stage, text):
                self._output[stage] = self._output.get(stage, "") + text
            case Note(text):
                if text not in self._notes:
                    self._notes.append(text)
            case SpecMistake():
                self._mistakes.append(event)
            case Death(stage):
                self._current = stage
                self.facts[Death] = event
                return False
            case StageEnded(stage):
                return self._end(stage, event)
        return True

    def _end(self, stage: Stage, event: StageEnded) -> bool:
        self._ended[stage] = event
        self._current = None
        if self._mistakes:
            raise SpecMistakesError(self._mistakes)
        self._run_checks()
        return self._broken() is None

    def _run_checks(self) -> None:
        for check in all_checks():
            seen = tuple(
                id(self.facts.get(t)) for t in (*check.needs.values(), *check.uses.values())
            )
            before = self._results.get(check.code)
            if before is None or before.seen != seen:
                self._results[check.code] = replace(_judge(check, self.facts), seen=seen)

    def _all_findings(self, *, counted: bool) -> list[Finding]:
        return [
            _finding(check, problem, self.choice.severity_of(check, problem))
            for check in all_checks()
            if check.code in self._results and self.choice.counts(check) is counted
            for problem in self._results[check.code].problems
        ]

    def _broken(self) -> Stage | None:
        found = self._all_findings(counted=True)
        errors = [f.stage for f in found if f.severity is Severity.ERROR]
        return min(errors, key=lambda stage: stage.rank, default=None)

    def report(self, *, interrupted: bool = False) -> Report:
        """Everything found until now.

        Raises:
            SpecMistakesError: The spec names things that are not there.
        """
        if self._mistakes:
            raise SpecMistakesError(self._mistakes)
        self._run_checks()
        broken = self._broken()
        findings = _arrange(self._all_findings(counted=True), broken)
        shown = {finding.code for finding in findings}
        setup = self.facts.get(SetupFacts) or SetupFacts()
        return Report(
            target=self.target,
            stages=tuple(self._stage_result(stage, broken, findings) for stage in STAGES),
            checks=tuple(self._check_result(check, broken, shown) for check in all_checks()),
            findings=tuple(self._placed(finding) for finding in findings),
            ignored=_arrange(self._all_findings(counted=False), None),
            notes=tuple(self._notes),
            seconds=time.monotonic() - self._began,
            interrupted=interrupted,
            device=setup.device,
            versions=setup.versions,
        )

    def _placed(self, finding: Finding) -> Finding:
        """The finding with the definition of the part that its stage is about, where it had none."""
        load = self.facts.get(LoadFacts)
        if finding.location is not None or load is None:
            return finding
        return replace(finding, location=load.place_of(PARTS_OF_STAGE.get(finding.stage, ())))

    def _stage_result(
        self, stage: Stage, broken: Stage | None, findings: tuple[Finding, ...]
    ) -> StageResult:
        ended = self._ended.get(stage)
        seconds, summary = (ended.seconds, ended.summary) if ended else (0.0, "")
        if broken is not None and stage.rank > broken.rank:
            return StageResult(stage, Status.SKIPPED, f"the {broken} stage is broken")
        if any(f.stage is stage and f.severity is Severity.ERROR for f in findings):
            output = self._output.get(stage, "")
            return StageResult(stage, Status.FAILED, "", summary, seconds, output)
        if ended is None:
            if stage in NOT_BUILT:
                return StageResult(stage, Status.SKIPPED, "tdebug does not check it yet")
            because = "it was stopped" if self._current is stage else "the run ended before it"
            return StageResult(stage, Status.SKIPPED, because)
        if ended.skipped_because:
            return StageResult(stage, Status.SKIPPED, ended.skipped_because, "", seconds)
        return StageResult(stage, Status.PASSED, "", summary, seconds)

    def _check_result(self, check: Check, broken: Stage | None, shown: set[str]) -> CheckResult:
        verdict = self._results.get(check.code) or _Verdict()
        status, reason = verdict.status, verdict.reason
        if not self.choice.counts(check):
            status, reason = Status.SKIPPED, "it was not selected"
        elif status is Status.FAILED and check.code not in shown:
            why = (
                "another check says more" if check.is_fallback else f"the {broken} stage is broken"
            )
            status, reason = Status.SKIPPED, why
        elif status is Status.SKIPPED and broken is not None and check.stage.rank > broken.rank:
            reason = f"the {broken} stage is broken"
        return CheckResult(check.code, check.name, check.stage, status, reason, verdict.traceback)


@dataclass(frozen=True)
class _Verdict:
    status: Status = Status.SKIPPED
    problems: tuple[Problem, ...] = ()
    reason: str = "what it looks at was not reached"
    traceback: str = ""
    seen: Sequence[Any] = ()


def _is_same(before: Sequence[Any], now: Sequence[Any]) -> bool:
    return len(before) == len(now) and all(a is b for a, b in zip(before, now, strict=True))


def _judge(check: Check, facts: dict[type, Any]) -> _Verdict:
    try:
        problems = run_check(check, facts)
    except Undecided as undecided:
        return _Verdict(reason=str(undecided))
    except Exception:  # noqa: BLE001 - a crash of a check is reported as errored, never hidden
        return _Verdict(Status.ERRORED, reason="it crashed", traceback=traceback.format_exc())
    if problems is None:
        return _Verdict()
    status = Status.FAILED if problems else Status.PASSED
    return _Verdict(status, tuple(problems), "")


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


def _arrange(findings: list[Finding], broken: Stage | None) -> tuple[Finding, ...]:
    """Stages in order, worst first in each; nothing of the stages after the broken one."""
    kept = [f for f in findings if broken is None or f.stage.rank <= broken.rank]
    fallbacks = {check.code for check in all_checks() if check.is_fallback}
    if any(f.severity is Severity.ERROR and f.code not in fallbacks for f in kept):
        kept = [f for f in kept if f.code not in fallbacks]
    return tuple(sorted(kept, key=lambda f: (f.stage.rank, -f.severity.rank, f.code)))


def walk(
    target: str,
    events: Iterator[Event],
    choice: Choice | None = None,
    watch: Callable[[Event], None] | None = None,
) -> Report:
    """Run the stages that `events` yields until one is broken, and report.

    Ctrl-C ends the run early; what was found until then is reported as interrupted.

    Args:
        target: What is checked, as the user wrote it.
        events: The stages at work: `stages.run_stages` in this process, or `worker.run_in_worker`.
            It is closed when the walk is over.
        choice: Which checks count.
        watch: Called with every event, for progress.

    Raises:
        SpecMistakesError: The spec names things that are not there.
    """
    state = Walk(target, choice)
    try:
        for event in events:
            if watch is not None:
                watch(event)
            if not state.take(event):
                break
    except KeyboardInterrupt:
        return state.report(interrupted=True)
    finally:
        close = getattr(events, "close", None)
        if close is not None:
            close()
    return state.report()
