"""The CPU first, where the traceback is true; then the device that the user asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .facts import SetupFacts
from .report import Severity, Status
from .walk import Walk, follow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .choice import Choice
    from .events import Event
    from .report import Finding, Report, StageResult


def walk_on_both(
    target: str,
    make_events: Callable[[bool], Iterator[Event]],
    choice: Choice | None = None,
    watch: Callable[[Event], None] | None = None,
) -> Report:
    """Walk the pipeline on the CPU, and once more on the device if the CPU found it in order.

    Args:
        target: What is checked, as the user wrote it.
        make_events: Starts the stages anew, on the device if it is called with True.
        choice: Which checks count.
        watch: Called with every event, for progress.

    Raises:
        SpecMistakesError: The spec names things that are not there.
    """
    state = Walk(target, choice)
    report = follow(state, make_events(False), watch)  # noqa: FBT003 - the caller's one argument
    setup = state.facts.get(SetupFacts)
    is_in_order = report.is_complete and not report.count(Severity.ERROR)
    if setup is None or not setup.wanted or not is_in_order:
        return report
    second = follow(Walk(target, choice), make_events(True), watch)  # noqa: FBT003 - likewise
    return merge_device_report(report, second, setup.wanted)


def merge_device_report(on_cpu: Report, on_device: Report, device: str) -> Report:
    """One report of both walks; what only the device shows is marked so.

    Args:
        on_cpu: The walk on the CPU.
        on_device: The walk on the device.
        device: Its name.
    """
    known = {(f.code, f.where) for f in on_cpu.findings}
    fresh = [_marked(f, device) for f in on_device.findings if (f.code, f.where) not in known]
    by_stage = {result.stage: result for result in on_device.stages}
    return replace(
        on_cpu,
        stages=tuple(
            _worse(result, by_stage.get(result.stage), device) for result in on_cpu.stages
        ),
        findings=(*fresh, *on_cpu.findings),
        notes=tuple(dict.fromkeys((*on_cpu.notes, *on_device.notes))),
        seconds=on_cpu.seconds + on_device.seconds,
        interrupted=on_device.interrupted,
        device=f"cpu and {device}",
    )


def _marked(finding: Finding, device: str) -> Finding:
    where = f"{finding.where}, on {device} alone" if finding.where else f"on {device} alone"
    return replace(finding, where=where, values={**finding.values, "device": device})


def _worse(on_cpu: StageResult, on_device: StageResult | None, device: str) -> StageResult:
    if on_device is None or on_device.status not in {Status.FAILED, Status.ERRORED}:
        return on_cpu
    return replace(on_device, reason=on_device.reason or f"on {device}; the CPU passed")
