"""The kinds of labels that do not fit the loss, and how each is known."""

from dataclasses import dataclass

from ..facts import CallFacts, ModelFacts, SampleFacts, TrainingFacts
from ..facts.calls import LossCall
from ..facts.samples import FieldFact
from ..report import Location, Severity
from .evidence import forward_failure
from .inputs import key_of
from .labels import HUGGING_FACE_NAMES, find_label_field
from .loss_rules import is_swapped
from .wording import count, number

CLASS_LOSSES = frozenset({"cross_entropy", "nll_loss"})
BINARY_LOSSES = frozenset({"binary_cross_entropy", "binary_cross_entropy_with_logits"})
FEW = 20


@dataclass(frozen=True)
class Misfit:
    """A kind of label that does not fit.

    Attributes:
        message: What is there and what is needed.
        hint: What to do.
        path: The field.
        index: A sample, None where only the batch is known.
        example: The value there.
        severity: None for an error.
        location: The line of the loss.
    """

    message: str
    hint: str
    path: str = ""
    index: int | None = None
    example: str = ""
    severity: Severity | None = None
    location: Location | None = None


def text_labels(samples: SampleFacts) -> Misfit | None:
    """Labels that are text."""
    field = find_label_field(samples)
    if field is None or not field.holds_text or key_of(field.path) in samples.removed:
        return None
    kind = next(kind for kind in field.kinds if "str" in kind.kind)
    name = field.name if not field.name.isdigit() else "the label"
    return Misfit(
        f"{name} is text ({kind.kind}), for example {field.text!r}: a loss needs integer ids.",
        "map the class names to ids 0 to C - 1 in the dataset, for example with label2id"
        f"[{field.text!r}]; label2id in the model's config does not convert the data.",
        field.path,
        kind.first,
        repr(field.text),
    )


def of_config(samples: SampleFacts, model: ModelFacts) -> Misfit | None:
    """Labels against the task that a transformers sequence classifier derives from num_labels."""
    if not model.type.endswith("ForSequenceClassification") or model.config.get("problem_type"):
        return None
    field = next((f for f in samples.fields if key_of(f.path) in HUGGING_FACE_NAMES), None)
    number_labels = model.config.get("num_labels")
    if field is None or field.name in samples.removed or not field.is_scalar:
        return None
    if number_labels == 1 and _is_integer(field) and 1 < len(field.values) <= FEW:
        return _regression(field)
    if isinstance(number_labels, int) and number_labels > 1 and _is_float(field):
        return _multi_label(field, number_labels)
    return None


def _is_integer(field: FieldFact) -> bool:
    return bool(field.kinds) and all("int" in kind.kind for kind in field.kinds)


def _is_float(field: FieldFact) -> bool:
    return bool(field.kinds) and all("float" in kind.kind for kind in field.kinds)


def _regression(field: FieldFact) -> Misfit:
    classes = len(field.values)
    return Misfit(
        f"{field.name} holds {count(classes, 'integer class', 'integer classes')}, but the model "
        "has num_labels=1: transformers takes that for regression (mean squared error).",
        f"build the model with num_labels={classes}; if it is regression, make the labels floats.",
        field.path,
        field.values[-1].first,
        number(field.values[-1].value),
        Severity.WARNING,
    )


def _multi_label(field: FieldFact, num_labels: int) -> Misfit:
    return Misfit(
        f"{field.name} is {field.kinds[0].kind}, but the model classifies into num_labels="
        f"{num_labels}: transformers takes float labels for multi-label and fails on their shape.",
        "make the labels integers: int(label); for regression build the model with num_labels=1.",
        field.path,
        field.kinds[0].first,
        number(field.max),
    )


def of_loss(calls: CallFacts | None, training: TrainingFacts | None) -> Misfit | None:
    """Targets whose dtype the loss refused."""
    failure = forward_failure(training)
    if failure is None or calls is None:
        return None
    for call in calls.losses:
        if call.batch == failure.batch and call.value is None and not is_swapped(call):
            found = _float_classes(call) or _integer_flags(call)
            if found is not None:
                return found
    return None


def _float_classes(call: LossCall) -> Misfit | None:
    is_floating = call.function in CLASS_LOSSES and call.target.is_floating
    if not is_floating or call.target.shape == call.input.shape:
        return None
    is_one_hot = call.target.numel == call.input.numel > call.input.shape[0]
    kind = ", flattened one-hot vectors or scores," if is_one_hot else ""
    return Misfit(
        f"{call.name} got a {call.target.dtype} target of shape {call.target.shape_text}{kind} "
        "where class labels must be integers (int64).",
        "give class ids: label.argmax(-1) of one-hot vectors; for several labels at once "
        'problem_type="multi_label_classification".'
        if is_one_hot
        else "convert the labels in the dataset: int(label), or labels.long(). Missing values in a "
        "pandas column turn its integers into floats.",
        call.target.field or "",
        location=call.location,
    )


def _integer_flags(call: LossCall) -> Misfit | None:
    if call.function not in BINARY_LOSSES or not (
        call.target.is_integer or call.target.dtype == "bool"
    ):
        return None
    return Misfit(
        f"{call.name} got an integer target ({call.target.dtype}, shape "
        f"{call.target.shape_text}): binary cross entropy needs float targets, also for multi-hot "
        "labels.",
        "make the labels float: labels.float(), or dtype=torch.float32 in the dataset.",
        call.target.field or "",
        location=call.location,
    )
