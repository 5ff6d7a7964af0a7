"""The fields of the batch behind a flattened output and a flattened target."""

from math import prod

from ..facts import TrainingFacts
from ..facts.calls import LossCall
from .loss_rules import is_over_classes
from .wording import shape_text

SEQUENCE_DIMS = 2
ALIGN = (
    "give one label for each token: spread the labels of words over their tokens (word_ids() of a "
    "fast tokenizer), with -100 for special tokens and padding"
)


def fields_of(call: LossCall, training: TrainingFacts | None) -> str:
    """Where token labels are of another length than the tokens: both fields with their shapes.

    Cross entropy of [32, 3] against [24], of ids [4, 8] and labels [4, 6].
    """
    path, rows = call.target.field, call.input.shape[:1]
    if path is None or not is_over_classes(call) or call.value is not None or training is None:
        return ""
    failure = next((f for f in training.failures if f.batch == call.batch), None)
    shapes = {leaf.path: leaf.shape for leaf in failure.inputs if leaf.shape} if failure else {}
    labels = shapes.get(path, ())
    tokens = [
        (other, shape)
        for other, shape in shapes.items()
        if other != path and len(shape) == SEQUENCE_DIMS and (prod(shape),) == rows
    ]
    if len(labels) != SEQUENCE_DIMS or not tokens or tokens[0][1] == labels:
        return ""
    other, shape = tokens[0]
    return f"; batch{path} is {shape_text(labels)}, batch{other} {shape_text(shape)}"
