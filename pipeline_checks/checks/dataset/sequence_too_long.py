"""TD112: sequences longer than the model has positions for."""

from collections.abc import Iterator

from ...facts import BatchFacts, CallFacts, LoaderFacts, ModelFacts, SampleFacts
from ...facts.samples import FieldFact
from ...report import Problem, Severity
from ..embedding_roles import POSITIONS, role_of
from ..evidence import keeps_values
from ..inputs import key_of
from ..registry import Undecided, check
from ..wording import batch, count_of, sample


@check("TD112", Severity.ERROR)
def sequence_too_long(
    samples: SampleFacts,
    model: ModelFacts,
    loader: LoaderFacts | None,
    batches: BatchFacts | None,
    calls: CallFacts | None,
) -> Iterator[Problem]:
    """A sequence is longer than the table of positions that the model has learned.

    Why it matters: the error ("index out of range in self") sounds like a bad token id, and comes
    only with the first long sample. RoBERTa and its kin can use two positions fewer than
    `max_position_embeddings` says.

    How to fix it: tokenize with `truncation=True, max_length=...` set to the usable length, or cut
    long texts into windows.
    """
    limit = model.max_length
    field = next((f for f in samples.fields if key_of(f.path) == "input_ids"), None)
    if limit is not None and field is not None and keeps_values(loader):
        if (field.longest or 0) > limit:
            yield _in_samples(field, limit, model, samples)
        return
    if limit is not None and batches is not None:
        yield from _in_batches(batches, limit, model, samples)
        return
    if calls is None:
        raise Undecided("how many positions there are shows only in the forward")
    yield from _in_calls(calls, samples)


def _in_samples(field: FieldFact, limit: int, model: ModelFacts, samples: SampleFacts) -> Problem:
    longer = sum(s.count for s in field.shapes if s.shape and s.shape[-1] > limit)
    index, number = field.longest_index or 0, max(longer, 1)
    return Problem(
        f"the longest sequence has {field.longest} tokens; {model.type} has {limit} positions "
        f"({model.max_length_from}).",
        where=f"{sample(index, field.path)} has {field.longest} tokens "
        f"({count_of(number, samples.num_read, 'sample')} too long)",
        hint=f"tokenize with truncation=True, max_length={limit}.",
        location=samples.location,
        values={"longest": field.longest, "index": index, "limit": limit, "num_samples": number},
    )


def _in_batches(
    batches: BatchFacts, limit: int, model: ModelFacts, samples: SampleFacts
) -> Iterator[Problem]:
    for one in batches.good:
        for leaf in one.leaves:
            shape = leaf.shape or ()
            if key_of(leaf.path) == "input_ids" and len(shape) > 1 and shape[1] > limit:
                yield Problem(
                    f"a batch has {shape[1]} tokens a row; {model.type} has {limit} positions "
                    f"({model.max_length_from}).",
                    where=f"{batch(one.number, one.indices)}: input_ids",
                    hint=f"truncate to max_length={limit} where the batch is made.",
                    location=samples.location,
                    values={"longest": shape[1], "batch": one.number, "limit": limit},
                )
                return


def _in_calls(calls: CallFacts, samples: SampleFacts) -> Iterator[Problem]:
    call = next((one for one in calls.embeddings if role_of(one) == POSITIONS), None)
    if call is None:
        return
    yield Problem(
        f"position {call.max} is asked of {call.module!r}, which has {call.rows} rows: sequences "
        f"can be at most {call.rows} long.",
        where=batch(call.batch),
        hint=f"truncate the sequences to {call.rows}, or build the model with more positions.",
        location=call.location or samples.location,
        values={"max": call.max, "rows": call.rows, "module": call.module, "batch": call.batch},
    )
