"""TD318: a loss that takes probabilities is given logits."""

from collections.abc import Iterator

from ...facts import CallFacts, TrainingFacts
from ...facts.calls import LossCall
from ...report import Problem, Severity
from ..loss_rules import made_by
from ..registry import check
from ..wording import batch, number

# What a linear layer or convolution gives lies in 0 to 1 only by luck, and not for long.
LINEAR_NODES = ("AddmmBackward", "MmBackward", "LinearBackward", "ConvolutionBackward")
NLL = frozenset({"nll_loss", "nll_loss_nd", "ctc_loss"})


@check("TD318", Severity.ERROR)
def logits_instead_of_probabilities(
    calls: CallFacts, training: TrainingFacts | None
) -> Iterator[Problem]:
    """A loss that takes probabilities or their logarithms is given raw outputs.

    Why it matters: BCELoss raises outside 0 to 1. NLLLoss and CTCLoss go on: they then reward
    outputs without bound, the loss turns negative and means nothing.

    How to fix it: use the losses that take logits, BCEWithLogitsLoss and CrossEntropyLoss; or end
    the model in sigmoid, or in log_softmax (CTCLoss has no other way).
    """
    for call in calls.losses:
        found = _explain(call)
        if found is None:
            continue
        message, hint = found
        indices = training.indices_of(call.batch) if training is not None else ()
        yield Problem(
            f"{call.name} takes {message}, but its input runs from {number(call.input.min)} to "
            f"{number(call.input.max)}.",
            where=batch(call.batch, indices),
            hint=hint,
            location=call.location,
            values={"min": call.input.min, "max": call.input.max},
        )
        return


def _explain(call: LossCall) -> tuple[str, str] | None:
    low, high = call.input.min, call.input.max
    if low is None or high is None:
        return None
    is_unbounded = low < 0 or high > 1 or call.made_by.startswith(LINEAR_NODES)
    if call.function == "binary_cross_entropy" and is_unbounded:
        return "probabilities (0 to 1)", "use BCEWithLogitsLoss on these logits, or add a sigmoid."
    # Rounding leaves a log-probability of 0 a hair above it.
    if call.function in NLL and high > 1e-3 and not made_by(call, "logsoftmax"):  # noqa: PLR2004
        if call.rows_sum_to_one:
            return None
        return "log-probabilities (at most 0)", (
            "add log_softmax(dim=-1) before the loss; a softmax is not enough."
            if call.function == "ctc_loss"
            else "use CrossEntropyLoss on these logits, or add log_softmax(dim=1)."
        )
    return None
