"""TD306: the forward gives no loss."""

from collections.abc import Iterator

from ...facts import GradientFacts, ModelFacts, SampleFacts, TrainingFacts
from ...report import Problem, Severity
from ..missing_loss import (
    NO_STYLE,
    dropped_label,
    given_fields,
    is_missing,
    label_argument,
    output_text,
    refusal,
    task_class,
)
from ..registry import check
from ..wording import batch, number


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
    cause, hint = _explain(training, model, samples)
    returned = output_text(training) or (missing[0].type if missing else "nothing")
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


def _giver(training: TrainingFacts, model: ModelFacts | None) -> str:
    names = {"compute_loss": "compute_loss", "lightning": "training_step", "pair": "the loss"}
    name = model.type if model is not None else "the model"
    return names.get(training.style, f"{name}'s forward")


def _explain(
    training: TrainingFacts, model: ModelFacts | None, samples: SampleFacts | None
) -> tuple[str, str]:
    """The cause, as the rest of a sentence, and the remedy."""
    if training.style in {"compute_loss", "lightning", "pair", "dict_loss"}:
        return "", "return the loss: is the return statement missing, or in a branch not taken?"
    if model is not None and not model.has_head:
        return (
            f": {model.type} has no task head and swallows the labels",
            f"use {task_class(model, samples)}, or compute the loss in compute_loss.",
        )
    column, wanted = dropped_label(samples, model), label_argument(model)
    if column and wanted:
        cause = (
            f": forward() has no argument {column!r}, so that column{_values(samples, column)} was "
            "removed and no label reaches the model"
        )
        return cause, f"rename the column {column!r} to {wanted!r}, which forward() takes."
    if wanted:
        given = given_fields(samples)
        return (
            f": it computes one only when it gets {wanted!r}, and the batch holds {given}",
            f"add a field {wanted!r} to the samples, or compute the loss in compute_loss.",
        )
    return "", "give a loss part (build_loss), or compute_loss(model, batch) that returns the loss."


def _values(samples: SampleFacts | None, column: str) -> str:
    field = samples.field(column) if samples is not None else None
    if field is None or field.min is None or field.max is None:
        return ""
    kind = "int" if field.is_whole else "float"
    return f" ({kind} {number(field.min)} to {number(field.max)})"
