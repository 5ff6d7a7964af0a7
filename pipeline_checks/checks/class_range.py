"""Labels against the number of classes: what is out of range and what that looks like."""

from dataclasses import dataclass

from ..facts import CallFacts, SampleFacts, TrainingFacts
from ..facts.calls import LossCall
from ..facts.samples import FieldFact
from .labels import find_field_of_batch, is_handed_on_whole
from .wording import count, sample

DEFAULT_IGNORE_INDEX = -100  # torch.nn.functional.cross_entropy, and all of transformers
VOID = 255  # how Pascal VOC and Cityscapes mark pixels that count for nothing


@dataclass(frozen=True)
class Outliers:
    """Labels that are no class.

    Attributes:
        num_classes: How many classes there are.
        ignore_index: The label that the loss leaves out.
        value: The one met first.
        index: Its sample, None where only the row of a batch is known.
        num_samples: Samples (or rows of the batch) that hold one, at least.
        low: Smallest label that is not ignored, None if unknown.
        high: Largest, likewise.
        is_zero_missing: Whether class 0 is known not to occur while class 1 does.
        only: The outliers' one common value, None where there are several.
        path: The field of the samples, "" where it is not known.
        is_scalar: Whether each sample has one label.
    """

    num_classes: int
    ignore_index: int
    value: int
    index: int | None
    num_samples: int
    low: int | None
    high: int | None
    is_zero_missing: bool = False
    only: int | None = None
    path: str = ""
    is_scalar: bool = True


def find_outliers(field: FieldFact, num_classes: int, ignore_index: int) -> Outliers | None:
    """What the samples hold in this field that is neither a class nor ignored."""
    if not field.values:
        return _by_extremes(field, num_classes, ignore_index)
    kept = [entry for entry in field.values if entry.value != ignore_index]
    bad = [entry for entry in kept if not 0 <= entry.value < num_classes]
    if not bad:
        return None
    first = min(bad, key=lambda entry: entry.first)
    counts = [entry.count for entry in bad]
    values = {entry.value for entry in kept}
    return Outliers(
        num_classes=num_classes,
        ignore_index=ignore_index,
        value=first.value,
        index=first.first,
        num_samples=sum(counts) if field.is_scalar else max(counts),
        low=kept[0].value,
        high=kept[-1].value,
        is_zero_missing=0 not in values and 1 in values,
        only=bad[0].value if len(bad) == 1 else None,
        path=field.path,
        is_scalar=field.is_scalar,
    )


def _by_extremes(field: FieldFact, num_classes: int, ignore_index: int) -> Outliers | None:
    if not field.is_whole or field.min is None or field.max is None:
        return None
    low, high = int(field.min), int(field.max)
    if high >= num_classes and high != ignore_index:
        value, index, least = high, field.max_index, low if low != ignore_index else None
    elif low < 0 and low != ignore_index:
        value, index, least = low, field.min_index, low
    else:
        return None
    return Outliers(
        num_classes=num_classes,
        ignore_index=ignore_index,
        value=value,
        index=index,
        num_samples=1,
        low=least,
        high=high,
        path=field.path,
        is_scalar=field.is_scalar,
    )


def outliers_in_samples(call: LossCall, samples: SampleFacts) -> Outliers | None:
    """Outliers among all samples read, where the target is a whole field of theirs."""
    field = find_field_of_batch(samples, call.target.field)
    if field is None or call.num_classes is None:
        return None
    if not is_handed_on_whole(field, call.target.shape):
        return None
    return find_outliers(field, call.num_classes, ignore_index_of(call))


def outliers_of_call(call: LossCall) -> Outliers | None:
    """The same, of the targets that a loss was called with."""
    bad = call.bad_target
    if bad is None or call.num_classes is None:
        return None
    return Outliers(
        num_classes=call.num_classes,
        ignore_index=ignore_index_of(call),
        value=int(bad.value),
        index=bad.index,
        num_samples=bad.num_rows,
        low=None if call.target_min is None else int(call.target_min),
        high=None if call.target_max is None else int(call.target_max),
    )


def has_one_field(call: LossCall, calls: CallFacts) -> bool:
    """Whether the target came from one field in all batches, as far as that could be told.

    A target that was copied is known by its values, which in a small batch can be another field's.
    """
    alike = [c for c in calls.losses if (c.function, c.location) == (call.function, call.location)]
    return len({c.target.field for c in alike if c.target.field is not None}) == 1


def is_left_out(found: Outliers, calls: CallFacts, training: TrainingFacts | None) -> bool:
    """Whether a batch with the outlier was run and the loss got none: the code leaves it out."""
    if training is None or found.index is None:
        return False
    failed = {failure.batch for failure in training.failures}
    over_classes = [call for call in calls.losses if call.num_classes is not None]
    bad = {call.batch for call in over_classes if call.bad_target is not None}
    good = {call.batch for call in over_classes} - bad - failed
    return any(found.index in training.indices_of(number) for number in good)


def ignore_index_of(call: LossCall) -> int:
    """The target value that the loss leaves out."""
    found = call.options.get("ignore_index", DEFAULT_IGNORE_INDEX)
    return int(found) if isinstance(found, (int, float)) else DEFAULT_IGNORE_INDEX


def hint_for(found: Outliers) -> str:
    """What such labels usually mean, and what to do."""
    num_classes = found.num_classes
    if found.low == 1 and found.high == num_classes:
        return (
            "the labels look 1-based: subtract 1, or build the model with "
            f"{num_classes + 1} outputs."
        )
    if found.only == DEFAULT_IGNORE_INDEX:
        return (
            f"-100 is left out only by ignore_index=-100; this loss ignores {found.ignore_index}."
        )
    if found.only in {-1, VOID}:
        return (
            f"if {found.only} marks what should not count, pass ignore_index={found.only} to the "
            "loss; else leave those samples out."
        )
    if found.high is not None and found.high >= num_classes:
        return (
            f"build the model with {found.high + 1} outputs, or map the labels to 0 to "
            f"{num_classes - 1} (look at how ids were given to the classes)."
        )
    return f"map the labels to 0 to {num_classes - 1}, or leave those samples out."


def num_labels_hint(found: Outliers) -> str:
    """The argument of `from_pretrained` that gives a classifier enough outputs."""
    if found.high is None or found.high < found.num_classes:
        return ""
    return f" For a transformers model: num_labels={found.high + 1}."


def place_of(found: Outliers, samples: SampleFacts) -> str:
    """The first outlier as the user would write it, and how many samples hold one."""
    if not found.path or found.index is None:
        which = "" if found.index is None else f" of sample {found.index}"
        return f"label {found.value}{which}"
    verb = "=" if found.is_scalar else "holds"
    field = samples.field(found.path)
    seen = samples.num_read if field is None else samples.num_seen(field)
    number = f"{found.num_samples} of {count(seen, 'sample')}"
    zero = "; class 0 never occurs" if found.is_zero_missing else ""
    return f"{sample(found.index, found.path)} {verb} {found.value} ({number}{zero})"
