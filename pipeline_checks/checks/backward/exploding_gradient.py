"""TD411: gradients that are far too large, or far larger in one batch than in the others."""

from collections.abc import Iterator
from math import isfinite
from statistics import median

from ...facts import CallFacts, GradientFacts, StepFacts, TrainingFacts
from ...report import Problem, Severity
from ..loss_rules import REGRESSIONS
from ..registry import Undecided, check
from ..wording import batch, number

ENOUGH_BATCHES = 5
# Fresh classifiers and language models start between 0.1 and 10, whatever their size; in-batch
# contrastive losses at a low temperature reach some hundreds.
LARGE = 1e3
OUTLYING = 100
LARGE_TARGET = 100


@check("TD411", Severity.INFO)
def exploding_gradient(
    gradients: GradientFacts,
    training: TrainingFacts,
    step: StepFacts | None,
    calls: CallFacts | None,
) -> Iterator[Problem]:
    """The gradient is very large from the start, or in one batch a hundred times the usual.

    Why it matters: with a plain optimizer one such step throws the weights far off. Adam and
    clipping bear it, but clipping then sets the size of every step.

    How to fix it: scale inputs and regression targets to about mean 0 and deviation 1, average the
    loss rather than add it up, look at the samples of the batch named, and clip
    (`clip_grad_norm_`).
    """
    if gradients.is_scaled:
        raise Undecided("a GradScaler's scale is in the gradients")
    loop = step.calls if step is not None else ()
    is_clipped = any(call.call == "clip" for made in loop for call in made)
    if is_clipped or training.style == "trainer":
        return  # a Hugging Face Trainer clips at 1 unless told not to
    totals = [(which, norm) for which, norm in gradients.totals if isfinite(norm) and norm > 0]
    usual = median([norm for _, norm in totals]) if totals else 0.0
    which, most = max(totals, key=lambda one: one[1], default=(0, 0.0))
    if len(totals) >= ENOUGH_BATCHES and most >= OUTLYING * usual:
        yield _of_one_batch(which, most, usual, training)
    elif totals and min(norm for _, norm in totals) > LARGE:
        yield _of_all(totals[0][1], calls)


def _of_one_batch(which: int, most: float, usual: float, training: TrainingFacts) -> Problem:
    """Only mentioned: rare rewards and heavy tails do so by right, and many loops clip."""
    return Problem(
        f"the gradient of batch {which} has a norm of {number(most)}, {number(most / usual)} times "
        f"the median of {number(usual)}.",
        where=batch(which, training.indices_of(which)),
        hint="look for outliers in these samples, inputs and targets, and clip the gradients.",
        values={"norm": most, "median": usual, "batch": which},
    )


def _of_all(first: float, calls: CallFacts | None) -> Problem:
    cause, hint = _cause(calls)
    return Problem(
        f"the gradient has a norm of {number(first)} at the start, above {number(LARGE)} in every "
        f"batch{cause}.",
        where="all parameters together",
        hint=hint,
        values={"norm": first},
    )


def _cause(calls: CallFacts | None) -> tuple[str, str]:
    """The scale of the targets, or a loss that is a sum, where it can be told."""
    losses = calls.losses if calls is not None else ()
    for call in losses:
        if call.options.get("reduction") == "sum":
            text = f": {call.name} adds up the losses of the whole batch"
            return text, "take the mean, or choose the learning rate for the sum."
        ends = [abs(end) for end in (call.target.min, call.target.max) if end is not None]
        if call.function in REGRESSIONS and max(ends, default=0.0) >= LARGE_TARGET:
            low, high = number(call.target.min), number(call.target.max)
            text = f": the targets of {call.name} run from {low} to {high}"
            return text, "scale the targets to about mean 0 and deviation 1."
    return "", "scale the inputs, start with smaller weights, normalise, or clip the gradients."
