"""TD510: the scheduler steps before the optimizer."""

from collections.abc import Iterator

from ...facts import OptimizerFacts, StepFacts
from ...report import Problem, Severity
from ..loop_calls import is_step
from ..registry import check
from ..wording import number


@check("TD510", Severity.WARNING)
def scheduler_before_optimizer(
    step: StepFacts, optimizers: OptimizerFacts | None
) -> Iterator[Problem]:
    """The scheduler's first step comes before the optimizer's.

    Why it matters: the first learning rate of the schedule is never used, and every later one comes
    a step early.

    How to fix it: call `optimizer.step()` first, then `scheduler.step()`.
    """
    calls = [call for batch in step.calls for call in batch]
    scheduled = [place for place, call in enumerate(calls) if call.call == "scheduler"]
    stepped = [place for place, call in enumerate(calls) if is_step(call)]
    if not scheduled or not stepped or scheduled[0] > stepped[0]:
        return
    lrs = list(optimizers.scheduled_lrs) if optimizers is not None else []
    moved = f": the first update used {number(lrs[1])}, not {number(lrs[0])}" if lrs[1:] else ""
    yield Problem(
        "scheduler.step() comes before the first optimizer.step(), so the first learning rate of "
        f"the schedule is skipped{moved if lrs[:1] != lrs[1:2] else ''}.",
        where="batch 0",
        hint="swap them: optimizer.step() first, scheduler.step() after it.",
        location=calls[scheduled[0]].location,
        values={"scheduled_lrs": lrs[:3]},
    )
