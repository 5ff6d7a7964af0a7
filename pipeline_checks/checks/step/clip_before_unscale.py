"""TD513: gradients are clipped while they hold the scaler's scale."""

from collections.abc import Iterator

from ...facts import StepFacts
from ...report import Problem, Severity
from ..loop_calls import early_clips
from ..registry import check


@check("TD513", Severity.WARNING)
def clip_before_unscale(step: StepFacts) -> Iterator[Problem]:
    """Gradients are clipped before the GradScaler has unscaled them.

    Why it matters: they are still multiplied by the scale (65536 at first). Clipped to norm 1 and
    then divided by it they are next to nothing, and training creeps.

    How to fix it: call `scaler.unscale_(optimizer)` before `clip_grad_norm_`.
    """
    found = [call for calls in step.calls for call in early_clips(calls)]
    if not found:
        return
    yield Problem(
        "the gradients are clipped before scaler.unscale_(): they still hold the scale, so the "
        "limit acts on numbers that are thousands of times too large.",
        where="the training step",
        hint="call scaler.unscale_(optimizer) right before the clipping.",
        location=found[0].location,
        values={"num_clips": len(found)},
    )
