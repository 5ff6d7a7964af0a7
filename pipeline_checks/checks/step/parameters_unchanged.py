"""TD505: a step changes nothing although there are gradients."""

from collections.abc import Iterator

from ...facts import GradientFacts, ModelFacts, OptimizerFacts, StepFacts
from ...facts.step import StepCall
from ...report import Problem, Severity
from ..loop_calls import early_steps, is_step, wiped_steps
from ..optimizer_words import owns_choice, rates
from ..registry import check
from ..unchanged_words import unchanged_problem
from ..wording import count

HALVES = ("float16", "bfloat16")
MOST = 0.5


@check("TD505", Severity.ERROR)
def parameters_unchanged(
    step: StepFacts,
    optimizers: OptimizerFacts,
    model: ModelFacts,
    gradients: GradientFacts | None,
) -> Iterator[Problem]:
    """The optimizer step leaves the parameters as they were, though their gradients are not 0.

    Why it matters: training runs, costs time, and changes nothing.

    How to fix it: in float16 or bfloat16 an update below half the spacing of the numbers (0.4 % of
    a weight in bfloat16) is lost: keep the weights in float32 and use autocast. Else look whether
    `optimizer.step()` is called at all, and on this model.
    """
    if step.was_skipped or _is_said_elsewhere(step):
        return
    if not step.was_taken:
        yield from _never_stepped(step, gradients)
        return
    # In a loop of the user's own the step is the user's, whoever made the optimizer.
    if not owns_choice(optimizers) and not step.calls:
        return
    if not step.unchanged or _may_rest(optimizers, gradients):
        return
    halves = {p.name: p.dtype for p in model.parameters if p.dtype in HALVES}
    lost = [name for name in step.unchanged if name in halves]
    total = step.num_changed + len(step.unchanged)
    if step.num_changed == 0:
        yield unchanged_problem(
            step.unchanged, total, halves.get(step.unchanged[0], ""), optimizers
        )
    elif len(lost) > MOST * total:
        yield unchanged_problem(tuple(lost), total, halves[lost[0]], optimizers, Severity.WARNING)


def _is_said_elsewhere(step: StepFacts) -> bool:
    """Whether the order of the calls, or a clip to 0, explains it: see TD509, TD512 and TD520."""
    if any(call.limit == 0 for calls in step.calls for call in calls):
        return True
    return any(wiped_steps(step.calls)) or any(early_steps(calls) for calls in step.calls)


def _may_rest(optimizers: OptimizerFacts, gradients: GradientFacts | None) -> bool:
    """Whether the start of a warm-up, a rate of 0, or unscaled gradients explain it."""
    all_rates = [rate for one in optimizers.optimizers for rate in rates(one)]
    is_rising = max(optimizers.scheduled_lrs, default=0.0) > max(all_rates, default=0.0)
    no_rate = 0.0 in all_rates or not all_rates
    return no_rate or is_rising or bool(gradients and gradients.is_scaled)


def _never_stepped(step: StepFacts, gradients: GradientFacts | None) -> Iterator[Problem]:
    """A loop of the user's own that clears the gradients of every batch and never steps."""
    looped = [calls for calls in step.calls if any(call.call == "backward" for call in calls)]
    cleared = [c for c in looped if any(call.call == "zero_grad" for call in c)]
    is_cleared = len(looped) > 1 and len(cleared) == len(looped)
    if step.num_changed or not is_cleared or any(map(_has_step, looped)):
        return
    norms = gradients.norms.values() if gradients is not None else ()
    yield Problem(
        f"optimizer.step() is never called: in {count(len(looped), 'batch', 'batches')} backward "
        "made gradients, zero_grad cleared them, and no parameter changed.",
        hint="call optimizer.step() after backward().",
        location=looped[0][-1].location,
        values={"num_batches": len(looped), "largest_gradient": max(norms, default=None)},
    )


def _has_step(calls: tuple[StepCall, ...]) -> bool:
    return any(is_step(call) for call in calls)
