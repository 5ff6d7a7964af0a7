"""Which field of a sample is the label, as far as its name or its place tells."""

from ..facts import CallFacts, SampleFacts
from ..facts.samples import FieldFact

# Names that mean the training target in the tutorials and libraries people start from; the first
# three are what Hugging Face collators rename to `labels`.
HUGGING_FACE_NAMES = ("labels", "label", "label_ids")
LABEL_NAMES = frozenset(
    (*HUGGING_FACE_NAMES, "label_id", "target", "targets", "y", "class", "class_id", "class_idx")
)
PAIR = 2


def is_label_name(name: str) -> bool:
    """Whether a field of this name is the training target.

    >>> is_label_name("labels"), is_label_name("Target"), is_label_name("label_smoothing")
    (True, True, False)
    """
    return name.lower() in LABEL_NAMES


def find_label_field(samples: SampleFacts) -> FieldFact | None:
    """The one field that is the label by its name, or the second of a pair; None if unclear."""
    named = [field for field in samples.fields if is_label_name(field.name)]
    if len(named) == 1:
        return named[0]
    if samples.container in {"tuple", "list"} and len(samples.fields) == PAIR:
        return next((field for field in samples.fields if field.path == "[1]"), None)
    return next((field for field in named if field.name in HUGGING_FACE_NAMES), None)


def find_field_of_batch(samples: SampleFacts, path: str | None) -> FieldFact | None:
    """The field of the samples that a field of the batch was made from, as far as names tell.

    Default collation keeps the paths; Hugging Face collators rename `label` and `label_ids` to
    `labels`.
    """
    if path is None:
        return None
    same = next((field for field in samples.fields if field.path == path), None)
    if same is not None or path != '["labels"]':
        return same
    return next((field for field in samples.fields if field.name in HUGGING_FACE_NAMES), None)


def find_classes(samples: SampleFacts, calls: CallFacts | None) -> FieldFact | None:
    """The field that a loss over classes was called with, else the label by its name."""
    for call in calls.losses if calls else ():
        if call.num_classes is not None and not call.target.is_floating:
            field = find_field_of_batch(samples, call.target.field)
            if field is not None:
                return field
    return find_label_field(samples)


def is_handed_on_whole(field: FieldFact, shape: tuple[int, ...]) -> bool:
    """Whether a tensor of this shape can be a batch of the whole field, not of a part of it.

    `labels[:, 0]` is a view of the field as well, but the other columns say nothing about it.
    """
    if field.is_scalar:
        return True
    return any(shape[1:] == one.shape for one in field.shapes)
