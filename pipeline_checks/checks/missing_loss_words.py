"""The words for a forward that gives no loss."""

from ..facts import ModelFacts, SampleFacts, TrainingFacts
from .missing_loss import dropped_label, given_fields, label_argument, task_class
from .wording import number


def explain_missing(
    training: TrainingFacts, model: ModelFacts | None, samples: SampleFacts | None
) -> tuple[str, str]:
    """Why there is none, as the rest of a sentence, and what to do."""
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
