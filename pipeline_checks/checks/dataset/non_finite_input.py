"""TD108: nan or inf in the data."""

import dataclasses
from collections.abc import Iterator

from ...facts import BatchFacts, NumericsFacts, SampleFacts, TrainingFacts
from ...facts.samples import BadValue, FieldFact
from ...report import Problem, Severity
from ..evidence import is_loss_finite
from ..inputs import key_of
from ..labels import is_label_name
from ..registry import Undecided, check
from ..wording import count, count_of, sample

HINT = (
    "fill it or leave the sample out when the data is prepared (empty cells, 0/0 and log(0) give "
    "such values)."
)
CONSTANT = (
    "one value in every sample: a constant column that is divided by its standard deviation of 0 "
    "becomes 0/0. Drop the column, or divide by std + eps."
)
HANDLED = "the loss of its batch stays finite, so your code seems to handle it."


@check("TD108", Severity.ERROR)
def non_finite_input(
    samples: SampleFacts,
    batches: BatchFacts | None,
    training: TrainingFacts | None,
    numerics: NumericsFacts | None,
) -> Iterator[Problem]:
    """A field of the data holds nan or inf.

    Why it matters: one nan makes the loss nan, and the step after it every weight. Nothing raises.
    It is an info where the loss of a batch with such a sample stayed finite (the user's code masks
    or fills it), and for -inf in a mask; a warning where it may be a note that nothing uses.

    How to fix it: fill or drop missing values when the data is prepared (`df.fillna`, `dropna`);
    nan mostly comes from empty cells, 0/0 in a normalisation, or the log of 0.
    """
    fields = [f for f in samples.fields if f.bad and key_of(f.path) not in samples.removed]
    if not fields:
        return
    if training is None and (batches is None or not batches.failed):
        raise Undecided("whether your code fills such values shows only in the loss")
    for field in fields:
        for bad in field.bad:
            severity = _severity(field, bad, samples, training, numerics)
            yield _problem(field, bad, samples, severity)


def _hint(bad: BadValue, num_seen: int) -> str:
    is_column = bad.num_values == bad.num_samples == num_seen > 1
    return CONSTANT if is_column and bad.position and bad.kind == "nan" else HINT


def _severity(
    field: FieldFact,
    bad: BadValue,
    samples: SampleFacts,
    training: TrainingFacts | None,
    numerics: NumericsFacts | None,
) -> Severity | None:
    if _is_mask(field, bad):
        return Severity.INFO
    if training is not None:
        for number in training.batches:
            if bad.index in training.indices_of(number):
                is_fine = is_loss_finite(number, training, numerics) is True
                return Severity.INFO if is_fine else None
    return None if _is_used(field, samples) else Severity.WARNING


def _is_used(field: FieldFact, samples: SampleFacts) -> bool:
    """Whether a field that no batch tried is surely used: single numbers may be notes only."""
    is_dict = samples.container.startswith("dict")
    return not is_dict or not field.is_scalar or is_label_name(field.name)


def _is_mask(field: FieldFact, bad: BadValue) -> bool:
    return bad.kind == "-inf" and any(word in field.name.lower() for word in ("mask", "bias"))


def _problem(
    field: FieldFact, bad: BadValue, samples: SampleFacts, severity: Severity | None
) -> Problem:
    place = sample(bad.index, field.path) + "".join(f"[{n}]" for n in bad.position)
    seen = samples.num_seen(field)
    what = "label" if is_label_name(field.name) else "value"
    column = f", column {bad.position[-1]}" if bad.position else ""
    return Problem(
        f"{field.path or 'the sample'} holds {bad.kind} in "
        f"{count_of(bad.num_samples, seen, 'sample')} "
        f"({count(bad.num_values, what)} in all).",
        where=f"{place} = {bad.kind} (sample {bad.index}{column})",
        hint=HANDLED if severity is Severity.INFO else _hint(bad, seen),
        location=samples.location,
        severity=severity,
        values={"field": field.path, **dataclasses.asdict(bad)},
    )
