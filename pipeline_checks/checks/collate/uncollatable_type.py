"""TD202: values that cannot become a tensor."""

import re
from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts
from ...facts.batches import BatchFact, FieldLengths
from ...report import Problem, Severity
from ..collate_words import collator_text, first_failed, kinds_text
from ..registry import check
from ..wording import batch, sample

# What torch.utils.data.default_collate takes, beside containers of it.
COLLATED = re.compile(r"(tensor|array|scalar|^int|^float|^bool|^str|^bytes|^list|^tuple|ragged)")


@check("TD202", Severity.ERROR)
def uncollatable_type(batches: BatchFacts, loader: LoaderFacts) -> Iterator[Problem]:
    """A sample holds something that torch's default collate knows nothing about.

    Why it matters: a PIL image, None or an object of your own cannot be stacked, so no batch with
    it can be made.

    How to fix it: turn it into a tensor in `__getitem__` (for images `transforms.ToTensor()`), drop
    it from the sample, or write a `collate_fn` that keeps it as a list.
    """
    failed = first_failed(batches)
    if failed is None or loader.collate_kind != "default":
        return
    for field in failed.fields:
        odd = [kind for kind in field.kinds if kind != "missing" and not COLLATED.search(kind)]
        if odd:
            yield _problem(field, odd, failed, loader)


def _problem(
    field: FieldLengths, odd: list[str], failed: BatchFact, loader: LoaderFacts
) -> Problem:
    row = field.kinds.index(odd[0])
    index = failed.indices[row] if row < len(failed.indices) else None
    name = field.path or "a sample"
    place = sample(index, field.path) if index is not None else name
    return Problem(
        f"{name} is {kinds_text(odd)}, which {collator_text(loader)} cannot put into a batch.",
        where=f"{place} in {batch(failed.number, failed.indices)}",
        hint=_hint(odd[0], field),
        location=loader.collate_location,
        values={"field": field.path, "kinds": odd, "index": index, "batch": failed.number},
    )


def _hint(kind: str, field: FieldLengths) -> str:
    if kind.startswith("PIL."):
        return "turn the image into a tensor in __getitem__, for example with ToTensor()."
    if kind == "None":
        return f"give {field.path or 'every sample'} a value, leave such samples out, or drop it."
    return f"turn {field.path or 'it'} into numbers in __getitem__, or write a collate_fn for it."
