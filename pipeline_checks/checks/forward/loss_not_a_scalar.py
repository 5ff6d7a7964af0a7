"""TD307: the loss is no single floating-point number."""

from collections.abc import Iterator
from math import prod

from ...facts import TrainingFacts
from ...facts.tensors import FLOATING
from ...facts.training import LossFact
from ...report import Problem, Severity, Stage
from ..missing_loss import WHOLE_MODEL_STYLES
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
            yield Problem(
                f"the loss has the shape {shape_text(loss.shape)} and so {prod(loss.shape)} "
                "elements: backward() needs one number.",
                where=batch(loss.batch, training.indices_of(loss.batch)),
                hint=USUAL,
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


def _matters(loss: LossFact, training: TrainingFacts) -> bool:
    """What a user's own loop returns counts only where its backward failed."""
    if training.style in WHOLE_MODEL_STYLES and prod(loss.shape or ()) != 1:
        return False  # the model's outputs alone: there is no loss at all
    if training.style != "train_step":
        return True
    return any(f.stage is Stage.BACKWARD and f.batch == loss.batch for f in training.failures)
