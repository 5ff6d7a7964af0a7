"""TD312: binary cross entropy with targets that are no probabilities."""

from collections.abc import Iterator

from ...facts import CallFacts, TrainingFacts
from ...facts.calls import LossCall
from ...report import Problem, Severity
from ..loss_rules import BINARY, is_swapped
from ..registry import check
from ..wording import batch, number


@check("TD312", Severity.ERROR)
def bce_target_out_of_range(calls: CallFacts, training: TrainingFacts | None) -> Iterator[Problem]:
    """Binary cross entropy gets targets below 0 or above 1.

    Why it matters: BCELoss raises; BCEWithLogitsLoss goes on and can reach any negative value, so
    training drives the outputs to infinity.

    How to fix it: targets are probabilities: map -1/1 or 1/2 to 0/1, divide masks of 0/255 by 255,
    and use cross entropy for class ids of more than two classes.
    """
    for call in calls.losses:
        low, high = _range(call)
        if call.function not in BINARY or is_swapped(call) or low is None or high is None:
            continue
        if low >= 0 and high <= 1:
            continue
        indices = training.indices_of(call.batch) if training is not None else ()
        name = f"batch{call.target.field}" if call.target.field else "the target"
        yield Problem(
            f"{call.name} (binary cross entropy) takes targets between 0 and 1, but {name} runs "
            f"from {number(low)} to {number(high)}.",
            where=batch(call.batch, indices),
            hint=_hint(low, high),
            location=call.location,
            values={"min": low, "max": high},
        )
        return


def _range(call: LossCall) -> tuple[float | None, float | None]:
    low = call.target_min if call.target_min is not None else call.target.min
    high = call.target_max if call.target_max is not None else call.target.max
    return low, high


def _hint(low: float, high: float) -> str:
    if (low, high) == (-1, 1):
        return "map -1 and 1 to 0 and 1: (y + 1) / 2."
    if high == 255 or low == -100:  # noqa: PLR2004 - the usual marks of masks and ignored labels
        if low < 0:
            return "-100 is not ignored here: mask those positions out of the loss."
        return "divide the mask by 255."
    if (low, high) == (1, 2):
        return "the labels look 1-based: subtract 1."
    if low >= 0 and high.is_integer():
        return "class ids of several classes need cross entropy, or one-hot targets."
    return "scale the targets to 0 to 1, or use a regression loss."
