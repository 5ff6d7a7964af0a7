"""TD111: ids that the embedding has no row for."""

from collections.abc import Iterator

from ...facts import CallFacts, LoaderFacts, ModelFacts, SampleFacts
from ...report import Problem, Severity
from ..embedding_roles import IDS, role_of
from ..evidence import keeps_values
from ..id_range import IdRange, hint_for, range_of_call, range_of_field
from ..inputs import key_of
from ..registry import Undecided, check
from ..wording import sample


@check("TD111", Severity.ERROR)
def token_ids_out_of_range(
    samples: SampleFacts,
    model: ModelFacts,
    loader: LoaderFacts | None,
    calls: CallFacts | None,
) -> Iterator[Problem]:
    """An id is negative, or at or above the number of rows of the embedding.

    Why it matters: the CPU says "index out of range in self"; a GPU dies with a device-side assert
    that also makes every later error wrong.

    How to fix it: after adding tokens call `model.resize_token_embeddings(len(tokenizer))`. Use the
    tokenizer that belongs to the model. Negative ids come from int16 storage, or from -100 or -1
    used as padding of the inputs.
    """
    found = _before_forward(samples, model, loader)
    if found is None and calls is None:
        raise Undecided("which embedding takes the ids shows only in the forward")
    if found is None and calls is not None:
        call = next((one for one in calls.embeddings if role_of(one) == IDS), None)
        found = range_of_call(call, samples, is_kept=keeps_values(loader)) if call else None
    if found is not None:
        yield _problem(found, samples, loader)


def _before_forward(
    samples: SampleFacts, model: ModelFacts, loader: LoaderFacts | None
) -> IdRange | None:
    """The token ids of a transformers model, where no code of the user's changes them."""
    if model.token_rows is None or not keeps_values(loader) or model.main_input != "input_ids":
        return None
    field = next((f for f in samples.fields if key_of(f.path) == "input_ids"), None)
    found = range_of_field(field, model.token_rows, model.token_embedding) if field else None
    return found if found is not None and found.is_bad else None


def _problem(found: IdRange, samples: SampleFacts, loader: LoaderFacts | None) -> Problem:
    place = sample(found.index, found.path) if found.index is not None else found.path
    holds = f"holds {found.value}" if place else f"{found.value}"
    return Problem(
        f"{found.name} go from {found.low} to {found.high}, but the embedding {found.module!r} has "
        f"{found.rows} rows: valid ids are 0 to {found.rows - 1}.",
        where=f"{place} {holds}".strip(),
        hint=hint_for(found, loader),
        location=samples.location if found.path else found.location or samples.location,
        values={
            "field": found.path,
            "index": found.index,
            "value": found.value,
            "min": found.low,
            "max": found.high,
            "rows": found.rows,
            "module": found.module,
        },
    )
