"""TD514: the learning rate is too high."""

from collections.abc import Iterator

from ...facts import OptimizerFacts, RepeatFacts, StepFacts
from ...report import Problem, Severity
from ..optimizer_words import optimizer_name, owns_choice
from ..registry import Undecided, check
from ..repeated_losses import doubles, explodes, falls, first_steps
from ..wording import count, number


@check("TD514", Severity.ERROR)
def steps_too_large(
    repeat: RepeatFacts, optimizers: OptimizerFacts, step: StepFacts | None
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
    losses = repeat.losses
    is_sure = explodes(losses)
    if not falls(repeat.retry_losses) or not (is_sure or doubles(losses)):
        return
    ratios = step.ratios if step is not None else {}
    largest = max(ratios, key=lambda name: ratios[name], default="")
    update = (
        f"; one step changed {largest} by {number(ratios[largest])} times its size"
        if largest and ratios[largest] > 1
        else ""
    )
    rate = number(repeat.lr)
    yield Problem(
        f"the loss on one batch grows from {number(losses[0])} to {number(losses[-1])} in "
        f"{count(len(losses) - 1, 'step')} at a learning rate of {rate} ({first_steps(losses)}), "
        f"and falls at {number(repeat.retry_lr)}{update}.",
        where=f"the optimizer, {optimizer_name(optimizers)} with lr={rate}",
        hint=f"the learning rate is too high for this scale: lower lr (towards "
        f"{number(repeat.retry_lr)}), or scale inputs and targets, or clip the gradients.",
        severity=None if is_sure else Severity.WARNING,
        values={"losses": list(losses), "lr": repeat.lr, "retry_lr": repeat.retry_lr},
    )
