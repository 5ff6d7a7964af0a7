"""TD511: the gradients are never cleared."""

from collections.abc import Iterator

from ...facts import StepFacts
from ...report import Problem, Severity
from ..loop_calls import steps_in
from ..registry import check
from ..wording import count

FEW = 2


@check("TD511", Severity.ERROR)
def zero_grad_missing(step: StepFacts) -> Iterator[Problem]:
    """The loop steps after every batch but never clears the gradients.

    Why it matters: each step uses the sum of the gradients of all batches so far: the updates grow,
    point to the past, and training swings or diverges.

    How to fix it: call `optimizer.zero_grad()` before each backward, or after each step. Where
    gradients are accumulated on purpose, step less often and clear after each step.
    """
    calls = [call for batch in step.calls for call in batch]
    stepped = [batch for batch in step.calls if steps_in(batch)]
    closures = any(call.has_closure for call in calls)
    if len(stepped) < FEW or closures or any(call.call == "zero_grad" for call in calls):
        return
    # Gradients can be cleared without zero_grad, by p.grad = None: then backward finds none.
    later = [b for batch in stepped[1:] for b in batch[:1] if b.call == "backward"]
    found = [call.had_gradients for call in later]
    if not found or False in found:
        return
    yield Problem(
        f"zero_grad() is never called: in {count(len(stepped), 'batch', 'batches')} every step "
        "used the gradients of all batches before it as well.",
        where="the training step",
        hint="call optimizer.zero_grad() before backward().",
        location=steps_in(stepped[0])[0].location,
        severity=None if all(found) else Severity.WARNING,
        values={"num_steps": sum(len(steps_in(batch)) for batch in stepped)},
    )
