"""TD306: the forward gives no loss."""

from collections.abc import Iterator

from ...facts import GradientFacts, ModelFacts, SampleFacts, TrainingFacts
from ...report import Problem, Severity
from ..missing_loss import NO_STYLE, held_text, is_missing, output_text, refusal
from ..missing_loss_words import explain_missing
from ..registry import check
from ..wording import batch


@check("TD306", Severity.ERROR)
def no_loss(
    training: TrainingFacts,
    model: ModelFacts | None,
    samples: SampleFacts | None,
    gradients: GradientFacts | None,
) -> Iterator[Problem]:
    """The forward pass returns no loss, so there is nothing to go back from.

    Why it matters: most models compute a loss only when they get labels under the right name. A
    label column with another name is dropped or swallowed without a word.

    How to fix it: hand the labels over under the name that forward takes (`labels` in
    transformers), use a model with a head for the task, or compute the loss yourself
    (`compute_loss`).
    """
    refused = refusal(training)
    missing = [loss for loss in training.losses if is_missing(loss, training.style)]
    if refused is None and (not missing or _is_optional(training, gradients, len(missing))):
        return
    if refused is not None and refused.error.type.endswith(NO_STYLE):
        yield Problem(refused.error.text, where=batch(refused.batch, refused.indices))
        return
    number_ = refused.batch if refused is not None else missing[0].batch
    cause, hint = explain_missing(training, model, samples)
    given = held_text(missing[0].type, missing[0].leaves) if missing else "nothing"
    # Where the user's own function gave the loss, what it gave counts, not the model's output.
    is_own = training.style in OWN and bool(missing)
    returned = given if is_own else output_text(training) or given
    yield Problem(
        f"{_giver(training, model)} gave no loss, but {returned}{cause}.",
        where=batch(number_, training.indices_of(number_)),
        hint=hint,
        location=model.location if model is not None else None,
        values={"style": training.style, "returned": returned},
    )


def _is_optional(
    training: TrainingFacts, gradients: GradientFacts | None, num_missing: int
) -> bool:
    """Whether the user's own loop may return nothing: it ran backward itself, or skips batches."""
    if training.style not in {"train_step", "lightning"}:
        return False
    ran_backward = gradients is not None and gradients.num_batches > 0
    return training.style == "train_step" or ran_backward or num_missing < len(training.losses)


OWN = {"compute_loss": "compute_loss", "lightning": "training_step", "pair": "the loss"}


def _giver(training: TrainingFacts, model: ModelFacts | None) -> str:
    name = model.type if model is not None else "the model"
    return OWN.get(training.style, f"{name}'s forward")
