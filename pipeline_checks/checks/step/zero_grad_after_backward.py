"""TD509: the gradients are cleared before the step uses them."""

from collections.abc import Iterator

from ...facts import StepFacts, TrainingFacts
from ...report import Problem, Severity
from ..loop_calls import steps_in, wiped_steps
from ..registry import check
from ..wording import batch


@check("TD509", Severity.ERROR)
def zero_grad_after_backward(step: StepFacts, training: TrainingFacts | None) -> Iterator[Problem]:
    """zero_grad runs between backward and the optimizer step.

    Why it matters: the step finds no gradients and changes nothing, without a word.

    How to fix it: the order is zero_grad, forward, backward, step (or zero_grad after the step).
    """
    wiped = [
        one
        for one in wiped_steps(step.calls)
        if one.step.had_gradients is False or step.num_changed == 0
    ]
    batches = [number for number, calls in enumerate(step.calls) if steps_in(calls)]
    if not wiped or {one.batch for one in wiped} != set(batches):
        return
    first = wiped[0]
    indices = training.indices_of(first.batch) if training is not None else ()
    place = f" ({first.zero_grad.location})" if first.zero_grad.location else ""
    yield Problem(
        f"zero_grad(){place} runs after backward() and before step(): it clears the gradients, so "
        "step() finds none and no parameter is changed.",
        where=f"{batch(first.batch, indices)} and every other one",
        hint="move zero_grad() before backward(), or after step().",
        location=first.zero_grad.location,
        values={"num_batches": len(batches), "num_changed": step.num_changed},
    )
