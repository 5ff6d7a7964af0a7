"""Shapes of sequences that a whole model or a nn.Transformer does not take."""

from ..facts import ModelFacts
from ..facts.training import FailureFact
from .failures import module_name
from .mismatch import Mismatch
from .wording import shape_text

TWO = 2
THREE = 3
CHOOSING = "ForMultipleChoice"


def multiple_choice(failure: FailureFact, model: ModelFacts | None) -> Mismatch | None:
    """Token ids without the dimension of the choices."""
    if model is None or not model.is_transformers or not model.type.endswith(CHOOSING):
        return None
    ids = next((leaf for leaf in failure.inputs if leaf.name == "input_ids"), None)
    if ids is None or ids.shape is None or len(ids.shape) != TWO:
        return None
    return Mismatch(
        f"{model.type} takes input_ids of [batch, choices, length], but batch{ids.path} is "
        f"{shape_text(ids.shape)}: the choices are missing.",
        "give each sample one row of ids for each choice (the question with each answer), "
        f"[choices, length]; for one text a sample {model.type.removesuffix(CHOOSING)}"
        "ForSequenceClassification is the model.",
        {"input": list(ids.shape)},
    )


def two_sequences(failure: FailureFact, _model: ModelFacts | None) -> Mismatch | None:
    """A nn.Transformer that takes time first gets its two sequences batch first."""
    given = [one.shape for one in failure.module_inputs[:TWO]]
    is_time_first = failure.module_sizes.get("batch_first") == 0
    if failure.module_type != "Transformer" or not is_time_first or len(given) != TWO:
        return None
    if any(len(shape) != THREE for shape in given):
        return None
    source, target = given
    if source[1] == target[1] or not source[0] == target[0] == len(failure.indices):
        return None
    return Mismatch(
        f"{module_name(failure)} takes [length, batch, features] but gets {shape_text(source)} and "
        f"{shape_text(target)}: the {source[0]} samples stand first, and the lengths {source[1]} "
        f"and {target[1]} are taken for two batch sizes.",
        f"build {failure.module or 'it'} with batch_first=True.",
        {"source": list(source), "target": list(target)},
    )
