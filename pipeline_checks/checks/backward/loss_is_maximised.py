"""TD410: the steps make the loss larger."""

from collections.abc import Iterator
from math import isfinite, log

from ...facts import CallFacts, ModelFacts, OptimizerFacts, TrainingFacts
from ...facts.calls import LossCall
from ...report import Problem, Severity
from ..loss_rules import BINARY, REGRESSIONS, is_over_classes
from ..optimizer_words import maximises
from ..registry import Undecided, check
from ..wording import batch, number

NEARLY = 0.1
# At or above this share of a guess's loss the model knows nothing yet that could be unlearned.
UNTRAINED = 0.5


@check("TD410", Severity.ERROR)
def loss_is_maximised(
    calls: CallFacts,
    training: TrainingFacts,
    model: ModelFacts | None,
    optimizers: OptimizerFacts | None,
) -> Iterator[Problem]:
    """What goes back is minus the loss: every step makes the model worse.

    Why it matters: the number printed falls without end and looks like progress, while the loss
    itself grows and the accuracy falls below that of a guess.

    How to fix it: take the minus away: cross entropy and the other losses of torch are to be
    minimised as they are (`-log p` has its minus inside). Where a score is to be maximised, negate
    the score, or use `maximize=True`, not both.
    """
    if optimizers is not None and len(optimizers.optimizers) > 1:
        raise Undecided("several optimizers take turns: one may work against another")
    seen = [call for call in calls.losses if _counts(call)]
    if not seen:
        raise Undecided("no loss of torch's was followed to where backward starts")
    if not _are_all_against(seen, is_flipped=maximises(optimizers)):
        return
    call = seen[0]
    is_sure = not calls.has_foreign_parameters and _learns_anew(call, model, optimizers)
    indices = training.indices_of(call.batch)
    how = _how(call)
    yield Problem(
        f"{how}: {call.name} is {number(call.value)} in batch {call.batch}, and every step makes "
        "it larger."
        + ("" if is_sure else " That is right only for what is to be unlearned, or an adversary."),
        where=batch(call.batch, indices),
        hint="take the minus away."
        if (call.weight or 0) < 0
        else "take maximize=True away: a loss is minimised.",
        location=call.location,
        severity=None if is_sure else Severity.INFO,
        values={"loss": call.total, "value": call.value, "weight": call.weight},
    )


def _counts(call: LossCall) -> bool:
    """Whether it is a loss that is 0 at best, and is as good as all of what goes back."""
    known = is_over_classes(call) or call.function in BINARY | REGRESSIONS
    if not known or not call.weight or not call.value or not call.total:
        return False
    return call.value > 0 and isfinite(call.weight) and isfinite(call.total)


def _are_all_against(seen: list[LossCall], *, is_flipped: bool) -> bool:
    """Whether every batch goes back from one and the same negative multiple of its loss.

    A factor that differs from batch to batch is a reward.
    """
    weights = [call.weight or 0.0 for call in seen]
    sign = -1 if is_flipped else 1
    are_negative = all(weight * sign < 0 for weight in weights)
    are_equal = max(weights) - min(weights) <= NEARLY / 100 * abs(weights[0])
    return are_negative and are_equal and all(map(_is_whole, seen))


def _is_whole(call: LossCall) -> bool:
    share = (call.weight or 0.0) * (call.value or 0.0) / (call.total or 1.0)
    return abs(share - 1) <= NEARLY


def _learns_anew(
    call: LossCall, model: ModelFacts | None, optimizers: OptimizerFacts | None
) -> bool:
    """Whether the whole model is trained and knows no more than a guess.

    A frozen part may be what an adversary works against; a good model may be made to unlearn.
    """
    if model is None or len(model.trainable) < len(model.parameters):
        return False
    if optimizers is not None and optimizers.missing:
        return False
    if call.function in REGRESSIONS:
        return call.target.field is not None
    classes = call.num_classes or 2
    return (call.value or 0.0) >= UNTRAINED * log(classes)


def _how(call: LossCall) -> str:
    weight = call.weight or 0.0
    if weight > 0:
        return "the optimizer maximises the loss"
    times = "minus" if weight == -1 else f"{number(weight)} times"
    return f"the loss that goes back, {number(call.total)}, is {times} {call.name}"
