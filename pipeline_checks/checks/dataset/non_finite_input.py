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
    or fills it), and for -inf in a mask.

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
            is_harmless = _is_mask(field, bad) or _is_handled(bad, training, numerics)
            yield _problem(field, bad, samples, is_harmless=is_harmless)


def _is_mask(field: FieldFact, bad: BadValue) -> bool:
    return bad.kind == "-inf" and any(word in field.name.lower() for word in ("mask", "bias"))


def _is_handled(
    bad: BadValue, training: TrainingFacts | None, numerics: NumericsFacts | None
) -> bool:
    """Whether the first batch with such a sample had a finite loss."""
    if training is None:
        return False
    with_it = [n for n in training.batches if bad.index in training.indices_of(n)]
    return any(is_loss_finite(number, training, numerics) is True for number in with_it[:1])


def _problem(
    field: FieldFact, bad: BadValue, samples: SampleFacts, *, is_harmless: bool
) -> Problem:
    place = sample(bad.index, field.path) + "".join(f"[{n}]" for n in bad.position)
    what = "label" if is_label_name(field.name) else "value"
    column = f", column {bad.position[-1]}" if bad.position else ""
    return Problem(
        f"{field.path or 'the sample'} holds {bad.kind} in "
        f"{count_of(bad.num_samples, samples.num_read, 'sample')} "
        f"({count(bad.num_values, what)} in all).",
        where=f"{place} = {bad.kind} (sample {bad.index}{column})",
        hint=HANDLED if is_harmless else HINT,
        location=samples.location,
        severity=Severity.INFO if is_harmless else None,
        values={"field": field.path, **dataclasses.asdict(bad)},
    )
