"""TD201: samples of different sizes in one batch."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, SampleFacts
from ...facts.batches import BatchFact, FieldLengths
from ...report import Problem, Severity
from ..collate_words import (
    collator_text,
    field_name,
    first_failed,
    is_to_blame,
    odd_ones,
    order_of,
    padding_hint,
    ragged_fields,
    sizes_text,
)
from ..registry import check
from ..wording import batch, name_list


@check("TD201", Severity.ERROR)
def ragged_batch(
    batches: BatchFacts, loader: LoaderFacts, samples: SampleFacts | None
) -> Iterator[Problem]:
    """A field has another size in each sample, and nothing pads it.

    Why it matters: a tensor has one size, so the batch cannot be made. The message that
    transformers gives ("activate truncation and/or padding") is true only of the inputs.

    How to fix it: pad in the collate function (DataCollatorWithPadding for a tokenizer's output,
    DataCollatorForTokenClassification or DataCollatorForSeq2Seq where labels have a length too,
    `torch.nn.utils.rnn.pad_sequence` for others), or bring the samples to one size.
    """
    failed = first_failed(batches)
    if failed is None:
        return
    ragged = [f for f in ragged_fields(failed, loader) if is_to_blame(f, failed, loader)]
    alike: dict[object, list[FieldLengths]] = {}
    for field in order_of(ragged):
        alike.setdefault((field.shapes, padding_hint(field, loader)), []).append(field)
    for fields in list(alike.values())[:3]:
        yield _problem(fields, failed, loader, odd_ones(fields[0], samples))


def _problem(
    fields: list[FieldLengths], failed: BatchFact, loader: LoaderFacts, odd: str
) -> Problem:
    """One problem for the fields of a tokenizer's output, which have the same lengths."""
    field, error = fields[0], failed.error
    others = f" (so have {name_list([f.name for f in fields[1:]])})" if fields[1:] else ""
    verb = "cannot stack" if loader.collate_kind == "default" else "does not pad"
    return Problem(
        f"{field_name(field)} has {sizes_text(field)} in one batch{others}, and "
        f"{collator_text(loader)} {verb} it{odd}.",
        where=f"{batch(failed.number, failed.indices)}: {field.path or 'the samples'}",
        hint=padding_hint(field, loader),
        location=(error.user_frames[-1] if error and error.user_frames else None)
        or loader.collate_location,
        values={
            "field": field.path,
            "batch": failed.number,
            "indices": list(failed.indices),
            "shapes": [list(shape or ()) for shape in field.shapes],
        },
        stack=error.user_frames if error else (),
    )
