"""TD520: gradients are clipped to nothing."""

from collections.abc import Iterator

from ...facts import GradientFacts, StepFacts
from ...report import Problem, Severity
from ..loop_calls import steps_in
from ..registry import check
from ..wording import count, number

FEW = 3
# Clipping is meant for the rare batch that is too steep; this leaves a thousandth of each.
SHARE = 1e-3
# About ten times the spacing of float32 numbers: what the steps of all batches together moved.
UNMOVED = 1e-6


@check("TD520", Severity.WARNING)
def clipping_leaves_nothing(step: StepFacts, gradients: GradientFacts) -> Iterator[Problem]:
    """The gradients are clipped to 0, or to so little that no step moves the weights.

    Why it matters: training runs, prints losses, and changes nothing. With Adam, which divides by
    the size of the gradients, a small limit is harmless; 0 never is.

    How to fix it: clip to a norm of about 1 (`clip_grad_norm_(parameters, 1.0)`), which leaves most
    batches as they are. Where 0 or None is to mean "no clipping", do not call it then.
    """
    clips = [call for calls in step.calls for call in calls if call.call == "clip"]
    limits = [clip.limit for clip in clips]
    stepped = [calls for calls in step.calls if steps_in(calls)]
    known = [limit for limit in limits if limit is not None]
    if len(stepped) < FEW or len(known) < len(stepped) or len(known) < len(limits):
        return
    largest = max(known)
    smallest_norm = min((norm for _, norm in gradients.totals), default=0.0)
    is_nothing = largest == 0 and smallest_norm > 0
    is_tiny = 0 < largest < SHARE * smallest_norm and max(step.ratios.values(), default=0) < UNMOVED
    if not is_nothing and not is_tiny:
        return
    moved = "" if is_nothing else f", and {count(len(stepped), 'step')} moved no weight visibly"
    yield Problem(
        f"the gradients are clipped to {number(largest)} in each of {count(len(stepped), 'step')}, "
        f"from a norm of at least {number(smallest_norm)}: "
        f"{'nothing' if is_nothing else 'next to nothing'} is left{moved}.",
        where="the training step",
        hint="clip to a norm of about 1, or leave the clipping out.",
        location=clips[0].location,
        severity=Severity.ERROR if is_nothing else None,
        values={"limit": largest, "smallest_norm": smallest_norm},
    )
