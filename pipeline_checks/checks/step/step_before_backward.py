"""TD512: the optimizer steps before backward."""

from collections.abc import Iterator

from ...facts import StepFacts
from ...report import Problem, Severity
from ..loop_calls import clears, early_steps
from ..registry import check


@check("TD512", Severity.WARNING)
def step_before_backward(step: StepFacts) -> Iterator[Problem]:
    """optimizer.step() comes before backward() in the loop.

    Why it matters: the step uses the gradients of the batch before, and none in the first; where
    zero_grad stands before it, it never has any, and nothing is trained.

    How to fix it: the order is zero_grad, forward, backward, step.
    """
    batches = [calls for calls in step.calls if any(call.call == "backward" for call in calls)]
    early = [early_steps(calls) for calls in batches]
    if not batches or not all(early):
        return
    first = early[0][0]
    is_wiped = all(
        any(clears(call, first) for call in calls[: calls.index(found[0])])
        for calls, found in zip(batches, early, strict=True)
    )
    yield Problem(
        "optimizer.step() comes before backward() in every batch: "
        + (
            "zero_grad() has just cleared the gradients, so no step ever has any."
            if is_wiped
            else "the first step has no gradients, each later one those of the batch before."
        ),
        where="the training step",
        hint="move optimizer.step() after loss.backward().",
        location=first.location,
        severity=Severity.ERROR if is_wiped else None,
        values={"num_batches": len(batches)},
    )
