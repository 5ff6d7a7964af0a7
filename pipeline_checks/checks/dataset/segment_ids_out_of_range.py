"""TD113: segment ids that the model has no row for."""

from collections.abc import Iterator

from ...facts import CallFacts, LoaderFacts, ModelFacts, SampleFacts
from ...report import Problem, Severity
from ..embedding_roles import SEGMENT_FIELDS, SEGMENTS, role_of
from ..evidence import keeps_values
from ..id_range import IdRange, range_of_call, range_of_field
from ..inputs import key_of
from ..registry import Undecided, check
from ..wording import sample


@check("TD113", Severity.ERROR)
def segment_ids_out_of_range(
    samples: SampleFacts,
    model: ModelFacts,
    loader: LoaderFacts | None,
    calls: CallFacts | None,
) -> Iterator[Problem]:
    """A segment id (`token_type_ids`) is at or above the number of segments of the model.

    Why it matters: the error ("index out of range in self") sounds like a bad token id. It comes
    from a tokenizer of another model: BERT's gives segments 0 and 1, RoBERTa has only segment 0.

    How to fix it: use the model's own tokenizer, or do not pass `token_type_ids`
    (`return_token_type_ids=False`).
    """
    found = _before_forward(samples, model, loader)
    if found is None and calls is None:
        raise Undecided("which embedding takes the segments shows only in the forward")
    if found is None and calls is not None:
        call = next((one for one in calls.embeddings if role_of(one) == SEGMENTS), None)
        found = range_of_call(call, samples, is_kept=keeps_values(loader)) if call else None
    if found is None:
        return
    place = sample(found.index, found.path) if found.index is not None else "the segment ids"
    yield Problem(
        f"{found.name} go up to {found.high}, but {found.module!r} has {found.rows} "
        f"{'row' if found.rows == 1 else 'rows'}: valid segments are 0 to {found.rows - 1}.",
        where=f"{place} holds {found.value}" if found.path else f"segment {found.value}",
        hint="use the tokenizer that belongs to the model, or tokenize with "
        "return_token_type_ids=False.",
        location=samples.location,
        values={"field": found.path, "max": found.high, "rows": found.rows, "index": found.index},
    )


def _before_forward(
    samples: SampleFacts, model: ModelFacts, loader: LoaderFacts | None
) -> IdRange | None:
    field = next((f for f in samples.fields if key_of(f.path) in SEGMENT_FIELDS), None)
    table = next((t for t in model.layers if t.name.endswith("token_type_embeddings")), None)
    if field is None or table is None or not keeps_values(loader) or not model.is_transformers:
        return None
    if field.name in samples.removed or field.name not in model.signature.names:
        return None
    found = range_of_field(field, int(table.sizes.get("num_embeddings", 0)), table.name)
    return found if found is not None and found.is_bad else None
