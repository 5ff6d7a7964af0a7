"""What the later stages showed, for checks that must not guess.

A field that looks wrong may be handled by the user's own code. These functions tell whether
something broke downstream, so that a check speaks only when it did.
"""

import math

from ..facts import BatchFacts, LoaderFacts, NumericsFacts, TrainingFacts
from ..facts.training import FailureFact
from ..report import Stage

KEYWORD_STYLES = frozenset({"trainer", "model_loss", "dict_loss"})
PLAIN_SAMPLERS = frozenset({"SequentialSampler", "RandomSampler"})


def forward_failure(training: TrainingFacts | None) -> FailureFact | None:
    """The first failure of a forward, loss included."""
    return next(iter(training.failures_in(Stage.FORWARD)), None) if training else None


def has_broken(batches: BatchFacts | None, training: TrainingFacts | None) -> bool:
    """Whether some batch could not be put together or some forward raised."""
    return bool(batches and batches.failed) or forward_failure(training) is not None


def has_no_loss(training: TrainingFacts | None) -> bool:
    """Whether some batch came without a loss: the forward raised, or there was no tensor."""
    if training is None:
        return False
    lacking = any(loss.shape is None and loss.value is None for loss in training.losses)
    return lacking or forward_failure(training) is not None


def is_loss_finite(
    number: int, training: TrainingFacts, numerics: NumericsFacts | None
) -> bool | None:
    """Whether the loss of this batch was finite; None where there is none."""
    if numerics and any(batch == number for batch, _ in numerics.bad_losses):
        return False
    values = [loss.value for loss in training.losses if loss.batch == number]
    if not values or values[0] is None:
        return None
    return math.isfinite(values[0])


def calls_by_keyword(training: TrainingFacts | None) -> bool:
    """Whether the batch is handed to the model as keyword arguments."""
    return training is not None and training.style in KEYWORD_STYLES


def keeps_values(loader: LoaderFacts | None) -> bool:
    """Whether collating hands on the values as they are: no code of the user's is in between."""
    return loader is not None and loader.collate_kind in {"default", "transformers"}


def mixes_samples(loader: LoaderFacts | None) -> bool:
    """Whether any two samples may meet in a batch that torch's default collation stacks."""
    return (
        loader is not None
        and loader.collate_kind == "default"
        and loader.sampler in PLAIN_SAMPLERS
        and not loader.yields_batches
        and (loader.batch_size or 0) > 1
    )
