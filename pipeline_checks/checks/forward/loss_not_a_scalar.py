"""TD307: the loss is no single floating-point number."""

from collections.abc import Iterator
from math import prod

from ...facts import TrainingFacts
from ...facts.tensors import FLOATING
from ...facts.training import LossFact
from ...report import Problem, Severity, Stage
from ..inputs import key_of
from ..missing_loss import WHOLE_MODEL_STYLES, find_loss_elsewhere
from ..missing_loss_words import LOSS_FIRST
from ..registry import check
from ..wording import batch, shape_text

USUAL = ".mean() over it, or reduction='mean' in the loss, makes one number."


@check("TD307", Severity.ERROR)
def loss_not_a_scalar(training: TrainingFacts) -> Iterator[Problem]:
    """The loss has more than one element, or an integer dtype.

    Why it matters: backward can start only from one floating-point number.

    How to fix it: reduce the loss (`.mean()`, or no `reduction="none"`), and do not round it or
    count with it: an integer has no gradient.
    """
    for loss in training.losses:
        if loss.shape is None or not _matters(loss, training):
            continue
        if prod(loss.shape) != 1:
            cause, hint = _taken_for_the_loss(loss, training)
            yield Problem(
                f"{cause}the loss has the shape {shape_text(loss.shape)} and so "
                f"{prod(loss.shape)} elements: backward() needs one number.",
                where=batch(loss.batch, training.indices_of(loss.batch)),
                hint=hint,
                values={"shape": list(loss.shape), "dtype": loss.dtype},
            )
            return
        if loss.dtype and loss.dtype not in FLOATING:
            yield Problem(
                f"the loss is of dtype {loss.dtype}: only floating-point numbers have a gradient.",
                where=batch(loss.batch, training.indices_of(loss.batch)),
                hint="compute it without argmax, rounding, comparison or .long().",
                values={"dtype": loss.dtype},
            )
            return


def _taken_for_the_loss(loss: LossFact, training: TrainingFacts) -> tuple[str, str]:
    """The start of the sentence where the first entry of the model's tuple is no loss."""
    output = training.output
    if output is None or training.style != "trainer" or len(output.leaves) < 2:  # noqa: PLR2004 - the loss and one more
        return "", USUAL
    first, *others = output.leaves
    found = find_loss_elsewhere(tuple(others))
    is_first = first.shape == loss.shape and key_of(first.path) == "0"
    if not is_first or found is None:
        return "", USUAL
    cause = (
        f"the model returns a {output.type} of which the Trainer takes the first entry for the "
        f"loss, but the one number is output{found.path}: "
    )
    return cause, LOSS_FIRST


def _matters(loss: LossFact, training: TrainingFacts) -> bool:
    """What a user's own loop returns counts only where its backward failed."""
    if training.style in WHOLE_MODEL_STYLES and prod(loss.shape or ()) != 1:
        return False  # the model's outputs alone: there is no loss at all
    if training.style != "train_step":
        return True
    return any(f.stage is Stage.BACKWARD and f.batch == loss.batch for f in training.failures)
