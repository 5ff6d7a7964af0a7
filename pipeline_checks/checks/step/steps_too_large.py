"""TD514: the learning rate is too high."""

from collections.abc import Iterator

from ...facts import OptimizerFacts, RepeatFacts, StepFacts, TrainingFacts
from ...report import Problem, Severity
from ..optimizer_words import optimizer_name, owns_choice
from ..registry import Undecided, check
from ..repeated_losses import Growth, find_growth
from ..wording import number


@check("TD514", Severity.ERROR)
def steps_too_large(
    repeat: RepeatFacts,
    optimizers: OptimizerFacts,
    step: StepFacts | None,
    training: TrainingFacts | None,
) -> Iterator[Problem]:
    """Steps on one and the same batch make its loss explode; smaller ones bring it down.

    Why it matters: each step overshoots, the loss grows until it is inf or nan, and the data gets
    the blame.

    How to fix it: lower the learning rate, scale inputs and targets to about mean 0 and deviation
    1, or clip the gradients.
    """
    if not owns_choice(optimizers):
        return
    if repeat.not_tried_because:
        raise Undecided(repeat.not_tried_because)
    start = training.losses[0].value if training is not None and training.losses else None
    found = find_growth(repeat, start)
    if found is None:
        return
    rate = number(repeat.lr)
    yield Problem(
        f"the loss on one batch {found.text} at a learning rate of {rate}{_falls(repeat)}"
        f"{_update(step)}.",
        where=f"the optimizer, {optimizer_name(optimizers)} with lr={rate}",
        hint=_hint(repeat, found),
        severity=None if found.is_sure else Severity.WARNING,
        values={"losses": list(repeat.losses), "lr": repeat.lr, "retry_lr": repeat.retry_lr},
    )


def _falls(repeat: RepeatFacts) -> str:
    return f", and falls at {number(repeat.retry_lr)}" if repeat.retry_losses else ""


def _update(step: StepFacts | None) -> str:
    """How much one step changed the parameter that it changed most."""
    ratios = step.ratios if step is not None else {}
    largest = max(ratios, key=lambda name: ratios[name], default="")
    if not largest or ratios[largest] <= 1:
        return ""
    return f"; one step changed {largest} by {number(ratios[largest])} times its size"


def _hint(repeat: RepeatFacts, found: Growth) -> str:
    lower = f"lower lr (towards {number(repeat.retry_lr)})" if repeat.retry_lr else "lower lr"
    scale = "scale inputs and targets" if found.is_sure else "scale the inputs"
    return f"the learning rate is too high: {lower}, or {scale}, or clip the gradients."
