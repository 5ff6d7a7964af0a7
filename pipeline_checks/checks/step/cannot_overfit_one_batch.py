"""TD515: the pipeline cannot even learn one batch by heart."""

from collections.abc import Iterator

from ...facts import OptimizerFacts, RepeatFacts
from ...report import Problem, Severity
from ..optimizer_words import maximises, owns_choice
from ..registry import Undecided, check
from ..repeated_losses import falls, first_steps, never_learns
from ..wording import count, number


@check("TD515", Severity.WARNING)
def cannot_overfit_one_batch(repeat: RepeatFacts, optimizers: OptimizerFacts) -> Iterator[Problem]:
    """The loss of one batch rises, whatever the learning rate.

    Why it matters: a pipeline that cannot learn one batch by heart, with dropout off, cannot learn
    more. The sign of the loss or of a gradient may be wrong, or the loss does not belong to the
    outputs.

    How to fix it: look at the sign (`-log`, a backward of your own), at what is compared with
    what, and at whether the parameters in the optimizer are those of the forward.
    """
    if repeat.not_tried_because:
        raise Undecided(repeat.not_tried_because)
    if not owns_choice(optimizers):
        raise Undecided("no optimizer was given")
    if maximises(optimizers):
        raise Undecided("the optimizer maximises: a score rises by right")
    losses, retry = repeat.losses, repeat.retry_losses
    if not never_learns(losses) or not retry or falls(retry):
        return
    yield Problem(
        f"the loss on one batch only rises: {first_steps(losses)} in "
        f"{count(len(losses) - 1, 'step')}, and it does not fall at a learning rate of "
        f"{number(repeat.retry_lr)} either.",
        where="repeated steps on batch 0, dropout off",
        hint="look at the sign of the loss and of gradients of your own, and whether the right "
        "outputs are compared with the right targets.",
        values={"losses": list(losses), "retry_losses": list(retry)},
    )
