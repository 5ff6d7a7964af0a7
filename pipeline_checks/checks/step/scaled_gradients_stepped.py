"""TD517: the optimizer steps with gradients that a GradScaler has scaled and never unscaled."""

from collections.abc import Iterator
from math import isfinite

from ...facts import OptimizerFacts, StepFacts, TrainingFacts
from ...report import Problem, Severity, Stage
from ..loop_calls import scaled_steps
from ..optimizer_words import optimizer_name
from ..registry import Undecided, check
from ..wording import batch, count, number

# Their step does not depend on the size of the gradients, but for eps.
DIVIDING = frozenset(
    {"Adam", "AdamW", "NAdam", "RAdam", "Adamax", "RMSprop", "Adagrad", "Adadelta"}
)


@check("TD517", Severity.ERROR)
def scaled_gradients_stepped(
    step: StepFacts, optimizers: OptimizerFacts | None, training: TrainingFacts | None
) -> Iterator[Problem]:
    """A plain optimizer.step() uses gradients that still hold a GradScaler's scale.

    Why it matters: `scaler.scale(loss).backward()` multiplies every gradient by the scale, 65536 at
    first, and only `scaler.step(optimizer)` divides by it again. A plain step moves the weights
    65536 times too far; it also steps with inf and nan, which the scaler would skip.

    How to fix it: call `scaler.step(optimizer)` and then `scaler.update()` in place of
    `optimizer.step()`.
    """
    found = scaled_steps(step.calls)
    if not found and step.scaler_is_off:
        raise Undecided("the GradScaler is off: enabled=False, or there is no CUDA device here")
    if not found:
        return
    first, call = found[0]
    several = optimizers is not None and len(optimizers.optimizers) > 1
    which = call.subject or 0
    name = optimizer_name(optimizers, which) if optimizers and several else "the optimizer"
    indices = training.indices_of(first) if training is not None else ()
    losses = training.losses if training is not None else ()
    is_nan = any(not isfinite(loss.value or 0.0) for loss in losses)
    yield Problem(
        f"{name} steps with gradients that still hold the GradScaler's scale, {number(call.factor)}"
        f": scaler.scale(loss) put it there, and optimizer.step() in place of "
        f"scaler.step(optimizer) never takes it out ({count(len(found), 'step')}). "
        f"{_effect(optimizers, which, call.factor)}",
        where=batch(first, indices),
        hint="call scaler.step(optimizer), then scaler.update(), in place of optimizer.step().",
        location=call.location,
        values={"factor": call.factor, "num_steps": len(found)},
        stage=Stage.FORWARD if is_nan else None,  # where its consequences show
    )


def _effect(optimizers: OptimizerFacts | None, which: int, factor: float | None) -> str:
    kind = optimizers.optimizers[which].type if optimizers and optimizers.optimizers else ""
    if kind in DIVIDING:
        return (
            f"{kind} divides by the gradients' own size, so that its steps look right, but it steps"
            " with inf and nan, which the scaler would skip."
        )
    return f"The weights move {number(factor)} times too far."
