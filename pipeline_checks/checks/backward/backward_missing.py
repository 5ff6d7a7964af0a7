"""TD409: the user's own loop steps without ever going back."""

from collections.abc import Iterator

from ...facts import GradientFacts, StepFacts, TrainingFacts
from ...facts.step import StepCall
from ...report import Problem, Severity
from ..loop_calls import steps_in
from ..registry import check
from ..wording import count

ENOUGH = 2


@check("TD409", Severity.ERROR)
def backward_missing(
    step: StepFacts, gradients: GradientFacts, training: TrainingFacts
) -> Iterator[Problem]:
    """The training step never calls backward, so there are no gradients to step with.

    Why it matters: the optimizer skips parameters without a gradient. The loop runs, prints losses,
    and changes nothing.

    How to fix it: call `loss.backward()` between `zero_grad()` and `step()`, in every branch.
    """
    if training.style != "train_step" or training.failures or gradients.num_batches:
        return
    steps = [call for calls in step.calls for call in steps_in(calls)]
    if len(step.calls) < ENOUGH or step.num_changed or any(map(_may_go_back, steps)):
        return
    taken = count(len(steps), "optimizer step")
    yield Problem(
        f"backward() is never called in {count(len(step.calls), 'batch', 'batches')}: no parameter "
        f"ever has a gradient, and {taken} changed nothing.",
        where="the training step",
        hint="call loss.backward() before optimizer.step().",
        location=steps[0].location if steps else None,
        values={"num_batches": len(step.calls), "num_steps": len(steps)},
    )


def _may_go_back(step: StepCall) -> bool:
    """A closure runs backward inside the step; gradients can be made without `backward`."""
    return step.has_closure or bool(step.had_gradients)
