"""Ids against the rows of an embedding: what is out of range and what that looks like."""

from dataclasses import dataclass

from ..facts import LoaderFacts, SampleFacts
from ..facts.calls import EmbeddingCall
from ..facts.samples import FieldFact
from ..report import Location
from .labels import find_field_of_batch, is_handed_on_whole

INT16_SPAN = 65_536
INT16_MOST = 32_767


@dataclass(frozen=True)
class IdRange:
    """Ids that an embedding is given.

    Attributes:
        name: What the user calls them: `input_ids`.
        path: The field of the samples, "" where it is not known.
        module: The embedding.
        rows: Its rows.
        low: Smallest id.
        high: Largest id.
        value: One that is out of range.
        index: Its sample, None if unknown.
        location: The user's line of the call.
    """

    name: str
    path: str
    module: str
    rows: int
    low: int
    high: int
    value: int
    index: int | None = None
    location: Location | None = None

    @property
    def is_bad(self) -> bool:
        """Whether some id has no row."""
        return self.low < 0 or self.high >= self.rows


def range_of_field(field: FieldFact, rows: int, module: str) -> IdRange | None:
    """The ids of all samples read, None where the field holds no whole numbers."""
    if field.min is None or field.max is None or not field.is_whole:
        return None
    low, high = int(field.min), int(field.max)
    value, index = (high, field.max_index) if high >= rows else (low, field.min_index)
    name = field.name if not field.name.isdigit() and field.name else "ids"
    return IdRange(name, field.path, module, rows, low, high, value, index)


def range_of_call(call: EmbeddingCall, samples: SampleFacts, *, is_kept: bool) -> IdRange:
    """The ids of the call that raised; of all samples where they are handed on as they are."""
    field = find_field_of_batch(samples, call.input.field) if is_kept else None
    is_whole = field is not None and is_handed_on_whole(field, call.input.shape)
    known = range_of_field(field, call.rows, call.module) if field and is_whole else None
    if known is not None and known.is_bad:
        return known
    name = call.input.field or call.input.name or "the ids"
    value, index = int(call.bad.value), call.bad.index if call.input.field else None
    return IdRange(
        name, "", call.module, call.rows, call.min, call.max, value, index, call.location
    )


def hint_for(found: IdRange, loader: LoaderFacts | None) -> str:
    """What such ids usually mean, and what to do."""
    if found.low == -100:  # noqa: PLR2004 - the ignore index
        return "-100 is for labels only: pad the inputs with the tokenizer's pad token id."
    if found.low < 0:
        wrapped = found.low + INT16_SPAN
        if INT16_MOST < wrapped < found.rows:
            return (
                f"negative ids look like int16 overflow ({wrapped} stored as int16 is "
                f"{found.low}): store the ids as int32 or int64."
            )
        return "negative ids have no row: pad with a row of its own (padding_idx), not with -1."
    length = loader.tokenizer_length if loader else None
    if length is not None and length > found.rows:
        return (
            f"the tokenizer has {length} tokens: call "
            "model.resize_token_embeddings(len(tokenizer)) after adding tokens."
        )
    if found.high == found.rows:
        return f"the ids look 1-based, or one row is missing: give the embedding {found.rows + 1}."
    return (
        f"give the embedding at least {found.high + 1} rows (resize_token_embeddings after adding "
        "tokens), or use the vocabulary that the model was built for."
    )
