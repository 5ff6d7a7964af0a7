"""The words for a forward that gives no loss."""

from ..facts import ModelFacts, SampleFacts, TrainingFacts
from .inputs import key_of
from .missing_loss import (
    dropped_label,
    find_loss_elsewhere,
    given_fields,
    label_argument,
    task_class,
)
from .wording import number

LOSS_FIRST = (
    "return the loss first, return (loss, logits), or a dict with the key 'loss'; reducing the "
    "other entry with .mean() would train on something that is no loss."
)


def explain_missing(
    training: TrainingFacts, model: ModelFacts | None, samples: SampleFacts | None
) -> tuple[str, str]:
    """Why there is none, as the rest of a sentence, and what to do."""
    if training.style in {"compute_loss", "lightning", "pair", "dict_loss"}:
        return _of_own_function(training)
    elsewhere = _in_model_output(training)
    if elsewhere is not None:
        return elsewhere
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


def _of_own_function(training: TrainingFacts) -> tuple[str, str]:
    """What the user's own loss function returned is no loss, but may hold it."""
    held = next((loss.leaves for loss in training.losses if loss.leaves), ())
    found = find_loss_elsewhere(held)
    if not held:
        return "", "return the loss: is the return statement missing, or in a branch not taken?"
    if training.style == "lightning":
        named = f" (here it is called {key_of(found.path)!r})" if found is not None else ""
        return (
            ": of a dict Lightning takes the entry 'loss'",
            f"give the loss the key 'loss'{named}, or return it alone.",
        )
    entry = f"its entry {found.path}" if found is not None else "the one number"
    return "", f"return the loss alone, {entry} of what is returned."


def _in_model_output(training: TrainingFacts) -> tuple[str, str] | None:
    """A number in the model's output that is not where the loss is looked for."""
    output = training.output
    found = find_loss_elsewhere(output.leaves) if output is not None else None
    if output is None or found is None or found.path.endswith(('["loss"]', ".loss")):
        return None
    if key_of(found.path).isdigit():
        return (
            f": of a {output.type} the first entry is the loss, but {found.path} is the one number",
            LOSS_FIRST,
        )
    return f": the loss is looked for under 'loss', not under {key_of(found.path)!r}", (
        f"call it 'loss' in place of {key_of(found.path)!r} in what forward returns."
    )


def _values(samples: SampleFacts | None, column: str) -> str:
    field = samples.field(column) if samples is not None else None
    if field is None or field.min is None or field.max is None:
        return ""
    kind = "int" if field.is_whole else "float"
    return f" ({kind} {number(field.min)} to {number(field.max)})"
