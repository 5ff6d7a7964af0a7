"""The walk: listen to the stages, run the checks, stop at the first broken stage, report."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .checks import all_checks
from .choice import Choice
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
from .report import STAGES, Finding, Report, Severity, Stage, StageResult, Status
from .verdicts import Verdicts, arrange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# Where a finding has no line of its own, the part that its stage is about has one.
PARTS_OF_STAGE = {
    Stage.LOAD: ("model", "trainer", "pipeline"),
    Stage.DATASET: ("dataset", "trainer", "pipeline"),
    Stage.COLLATE: ("collate_fn", "dataloader", "dataset", "trainer", "pipeline"),
    Stage.FORWARD: ("model", "trainer", "pipeline"),
    Stage.BACKWARD: ("model", "trainer", "pipeline"),
    Stage.STEP: ("optimizer", "train_step", "trainer", "pipeline"),
    Stage.EVALUATE: ("metrics", "evaluate", "eval_dataset", "trainer", "pipeline"),
}


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
        self._verdicts = Verdicts(self.choice)

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
        self._verdicts.update(self.facts)
        broken = self._verdicts.broken
        # A loop that breaks in a later section tells of its earlier ones first.
        return broken is None or broken.rank > stage.rank

    def report(self, *, interrupted: bool = False) -> Report:
        """Everything found until now.

        Raises:
            SpecMistakesError: The spec names things that are not there.
        """
        if self._mistakes:
            raise SpecMistakesError(self._mistakes)
        self._verdicts.update(self.facts)
        broken = self._verdicts.broken
        findings = arrange(self._verdicts.findings(counted=True), broken)
        shown = {finding.code for finding in findings}
        setup = self.facts.get(SetupFacts) or SetupFacts()
        return Report(
            target=self.target,
            stages=tuple(self._stage_result(stage, broken, findings) for stage in STAGES),
            checks=tuple(self._verdicts.result(check, shown) for check in all_checks()),
            findings=tuple(self._placed(finding) for finding in findings),
            ignored=arrange(self._verdicts.findings(counted=False), None),
            notes=tuple(self._notes),
            seconds=time.monotonic() - self._began,
            interrupted=interrupted,
            device=setup.device,
            versions=setup.versions,
        )

    def _placed(self, finding: Finding) -> Finding:
        """The finding with the line of the part that its stage is about, where it had none."""
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
            because = "it was stopped" if self._current is stage else "the run ended before it"
            return StageResult(stage, Status.SKIPPED, because)
        if ended.skipped_because:
            return StageResult(stage, Status.SKIPPED, ended.skipped_because, "", seconds)
        return StageResult(stage, Status.PASSED, "", summary, seconds)


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
    return follow(Walk(target, choice), events, watch)


def follow(
    state: Walk, events: Iterator[Event], watch: Callable[[Event], None] | None = None
) -> Report:
    """Feed a walk until it is over, and report. See `walk`."""
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
