"""TD514: the learning rate is too high."""

from collections.abc import Iterator

from ...facts import ModelFacts, OptimizerFacts, RepeatFacts, StepFacts, TrainingFacts
from ...report import Problem, Severity
from ..optimizer_words import optimizer_name, owns_choice
from ..registry import Undecided, check
from ..repeated_losses import Growth, find_growth
from ..wording import number

# Single matrices may start tiny, and those that start at zero have no size to compare with.
FEWEST_MATRICES = 2
FROM_ZERO = 1e6
# The deviation that BERT and GPT-2 start their weights with; matrices that start far smaller are
# meant to grow.
USUAL_SIZE = 0.02


@check("TD514", Severity.ERROR)
def steps_too_large(
    repeat: RepeatFacts,
    optimizers: OptimizerFacts,
    step: StepFacts | None,
    training: TrainingFacts | None,
    model: ModelFacts | None,
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
    rate = number(repeat.lr)
    if found is None:
        yield from _overturned(step, model, optimizers, rate)
        return
    yield Problem(
        f"the loss on one batch {found.text} at a learning rate of {rate}{_falls(repeat)}"
        f"{_update(step)}.",
        where=f"the optimizer, {optimizer_name(optimizers)} with lr={rate}",
        hint=_hint(repeat, found),
        severity=None if found.is_sure else Severity.WARNING,
        values={"losses": list(repeat.losses), "lr": repeat.lr, "retry_lr": repeat.retry_lr},
    )


def _overturned(
    step: StepFacts | None, model: ModelFacts | None, optimizers: OptimizerFacts, rate: str
) -> Iterator[Problem]:
    """A first step that changes every weight matrix by more than its own size."""
    if step is None or model is None:
        return
    matrices = [p.name for p in model.trainable if len(p.shape) > 1]
    ratios = [step.ratios.get(name, 0.0) for name in matrices]
    if len(ratios) < FEWEST_MATRICES or not all(1 < ratio < FROM_ZERO for ratio in ratios):
        return
    if any(step.sizes.get(name, USUAL_SIZE) < USUAL_SIZE for name in matrices):
        return
    yield Problem(
        f"one step changed all {len(ratios)} weight matrices by {number(min(ratios))} to "
        f"{number(max(ratios))} times their own size, at a learning rate of {rate}: nothing of "
        "their initial values is left.",
        where=f"the optimizer, {optimizer_name(optimizers)} with lr={rate}",
        hint="the learning rate is too high: lower it until a step changes weights by about a "
        "thousandth of their size.",
        severity=Severity.WARNING,
        values={"ratios": dict(zip(matrices, ratios, strict=True))},
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
