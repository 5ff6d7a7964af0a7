"""TD109: values of a dtype that the pipeline cannot take."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, SampleFacts, TrainingFacts
from ...facts.samples import FieldFact
from ...report import Problem, Severity
from ..dtype_words import NARROW, object_hint, types_text
from ..evidence import forward_failure
from ..inputs import key_of
from ..labels import find_field_of_batch
from ..registry import check
from ..wording import sample, shape_text


@check("TD109", Severity.ERROR)
def wrong_dtype(
    samples: SampleFacts,
    loader: LoaderFacts | None,
    batches: BatchFacts | None,
    training: TrainingFacts | None,
) -> Iterator[Problem]:
    """A field has a dtype that no tensor or no layer can take: object, int16 ids, uint8 images.

    Why it matters: an array of dtype object comes from a table with text, bools or None among its
    numbers; torch refuses it with words that do not name the column. Ids kept in int16 wrap around.

    How to fix it: encode or drop the columns that are no numbers, then `df.to_numpy(dtype=
    "float32")`. Keep ids in int64 or int32. Turn uint8 images into floats: `image.float() / 255`.
    """
    yield from _while_reading(samples)
    for field in samples.fields:
        is_object = any(kind.dtype == "object" for kind in field.kinds)
        if is_object and key_of(field.path) not in samples.removed and _stops(loader, batches):
            yield _object_field(field, samples)
    yield from _in_forward(samples, training)


def _while_reading(samples: SampleFacts) -> Iterator[Problem]:
    failed = [one for one in samples.failed if one.object_arrays]
    if not failed:
        return
    first, array = failed[0], failed[0].object_arrays[0]
    yield Problem(
        f"{array.name} has dtype object and cannot become a tensor: it holds "
        f"{types_text(array.types_inside)}.",
        where=f"{sample(first.index)}: {array.name}, shape {shape_text(array.shape)}",
        hint=object_hint(array.types_inside),
        location=first.error.location or samples.location,
        values={"index": first.index, "types": dict(array.types_inside)},
        stack=first.error.user_frames,
    )


def _stops(loader: LoaderFacts | None, batches: BatchFacts | None) -> bool:
    return bool(batches and batches.failed) or (
        loader is not None and loader.collate_kind == "default"
    )


def _object_field(field: FieldFact, samples: SampleFacts) -> Problem:
    index = next(kind.first for kind in field.kinds if kind.dtype == "object")
    return Problem(
        f"{field.path or 'the sample'} has dtype object and cannot become a tensor: it holds "
        f"{types_text(field.types_inside)}.",
        where=sample(index, field.path),
        hint=object_hint(field.types_inside),
        location=samples.location,
        values={"field": field.path, "index": index, "types": dict(field.types_inside)},
    )


def _in_forward(samples: SampleFacts, training: TrainingFacts | None) -> Iterator[Problem]:
    failure = forward_failure(training)
    operand = failure.operands[0] if failure and failure.operands else None
    known = NARROW.get((failure.function, operand.dtype)) if failure and operand else None
    field = find_field_of_batch(samples, operand.field) if operand else None
    if known is None or failure is None or operand is None or field is None:
        return
    yield Problem(
        f"{field.path or 'the input'} is {operand.dtype}, which {failure.module_type or 'torch'} "
        f"{failure.module or ''} cannot take: {known[0]}.".replace("  ", " "),
        where=f"{sample(field.kinds[0].first if field.kinds else 0, field.path)} ({operand.dtype})",
        hint=known[1],
        location=samples.location or failure.error.location,
        values={"field": field.path, "dtype": operand.dtype, "module": failure.module},
    )
