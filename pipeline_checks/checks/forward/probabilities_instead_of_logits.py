"""TD310: a loss that takes logits is given probabilities."""

from collections.abc import Iterator
from math import e, log

from ...facts import CallFacts, TrainingFacts
from ...facts.calls import LossCall
from ...report import Problem, Severity
from ..loss_rules import is_over_classes, made_by
from ..registry import check
from ..wording import batch

MANY_CLASSES = 3  # rows of two logits sum to 1 by chance more easily than rows of three
SURE_AFTER = 3


@check("TD310", Severity.ERROR)
def probabilities_instead_of_logits(
    calls: CallFacts, training: TrainingFacts | None
) -> Iterator[Problem]:
    """A loss that applies softmax or sigmoid itself is given their output.

    Why it matters: nothing fails, but softmax twice flattens the gradients. With C classes the
    loss cannot fall below log(e + C - 1) - 1, however well the model does: 0.74 for 4 classes.

    How to fix it: remove the softmax or sigmoid at the end of the model and let the loss see the
    logits; apply it only to read predictions. (log_softmax before cross entropy does no harm.)
    """
    for call in calls.losses:
        found = _explain(call, calls)
        if found is None:
            continue
        message, hint = found
        indices = training.indices_of(call.batch) if training is not None else ()
        yield Problem(
            f"{call.name} {message}",
            where=batch(call.batch, indices),
            hint=hint,
            location=call.location,
            values={"num_classes": call.num_classes, "made_by": call.last_function},
        )
        return


TO_KL = (
    "takes log-probabilities but gets the output of a softmax.",
    "use log_softmax for the first argument.",
)
TO_NLL = (
    "takes log-probabilities but gets probabilities, non-negative rows that sum to 1.",
    "use log_softmax in place of softmax, or cross entropy on the logits.",
)


def _explain(call: LossCall, calls: CallFacts) -> tuple[str, str] | None:
    if is_over_classes(call) and (call.num_classes or 0) > 1 and _is_distribution(call, calls):
        return _of_classes(call)
    if call.function == "kl_div" and made_by(call, "softmax"):
        return TO_KL
    if call.function == "binary_cross_entropy_with_logits" and call.input_in_unit:
        for function in ("sigmoid", "softmax"):
            if made_by(call, function):
                what = f"takes logits and applies sigmoid itself, but gets a {function}'s output"
                return (
                    f"(binary cross entropy) {what}: probabilities, not logits.",
                    f"remove the {function} before the loss, or use BCELoss on probabilities.",
                )
    return None


def _is_distribution(call: LossCall, calls: CallFacts) -> bool:
    if made_by(call, "softmax"):
        return True
    if made_by(call, "logsoftmax"):
        return False
    alike = [c for c in calls.losses if c.function == call.function and c.location == call.location]
    is_enough = (call.num_classes or 0) >= MANY_CLASSES or len(alike) >= SURE_AFTER
    rows = call.input.numel // (call.num_classes or 1)
    return is_enough and rows > 1 and all(c.rows_sum_to_one for c in alike)


def _of_classes(call: LossCall) -> tuple[str, str]:
    if call.function != "cross_entropy":
        return TO_NLL
    classes = call.num_classes or 1
    least = log(e + classes - 1) - 1
    message = (
        "(cross entropy) applies log-softmax itself, but gets probabilities: the rows of its "
        f"input sum to 1. With {classes} classes the loss cannot fall below {least:.3f}."
    )
    return message, "remove the softmax: give it the logits (or log the probabilities for NLLLoss)."
