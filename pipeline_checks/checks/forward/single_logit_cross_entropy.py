"""TD311: cross entropy over one class."""

from collections.abc import Iterator

from ...facts import CallFacts, TrainingFacts
from ...report import Problem, Severity
from ..loss_rules import is_over_classes
from ..registry import check
from ..wording import batch, shape_text


@check("TD311", Severity.ERROR)
def single_logit_cross_entropy(
    calls: CallFacts, training: TrainingFacts | None
) -> Iterator[Problem]:
    """Cross entropy is taken over a single output.

    Why it matters: the softmax of one number is 1, so the loss is exactly 0 whatever the target,
    every gradient is 0, and nothing is learned.

    How to fix it: for two classes use BCEWithLogitsLoss with float targets on the one output, or
    give the model 2 outputs and int64 class ids.
    """
    for call in calls.losses:
        # With no class dimension of its own ([C] against one class id) sizes tell nothing.
        if call.num_classes != 1 or not is_over_classes(call) or len(call.input.shape) < 2:  # noqa: PLR2004
            continue
        indices = training.indices_of(call.batch) if training is not None else ()
        yield Problem(
            f"{call.name} (cross entropy) gets scores of shape {shape_text(call.input.shape)}: "
            "over a single class (1 output) it is always 0, and so is every gradient.",
            where=batch(call.batch, indices),
            hint="use BCEWithLogitsLoss with float targets of the same shape, or 2 outputs with "
            "int64 class ids.",
            location=call.location,
            values={"output": list(call.input.shape), "loss": call.value},
        )
        return
