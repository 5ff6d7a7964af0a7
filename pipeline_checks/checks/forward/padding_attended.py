"""TD327: a model of transformers that looks at padding."""

from collections.abc import Iterator

from ...facts import LoaderFacts, MixingFacts, ModelFacts, TrainingFacts
from ...report import Problem, Severity
from ..registry import check
from ..wording import number


@check("TD327", Severity.WARNING)
def padding_attended(
    mixing: MixingFacts,
    training: TrainingFacts | None,
    model: ModelFacts | None,
    loader: LoaderFacts | None,
) -> Iterator[Problem]:
    """Sequences are padded, and the attention mask is missing or is 1 at the padding.

    Why it matters: the model attends to the padding, so what it says of a text depends on the
    length of the longest text in its batch. It trains, and is worse than it could be.

    How to fix it: pass the tokenizer's attention_mask to the model; in a collate function of your
    own make it `(input_ids != pad_token_id).long()`.
    """
    found = mixing.padding
    if found is None:
        return
    rows = training.indices_of(0) if training is not None else ()
    who = f"sample {rows[found.row]}" if found.row < len(rows) else f"row {found.row} of batch 0"
    mask = "attention_mask is 1 at the padding" if found.has_mask else "no attention_mask was given"
    yield Problem(
        f"{mask}: {who} has {found.length} tokens, padded with id {found.pad} to "
        f"{found.padded_to}, and without the padding its output changes by {number(found.change)} "
        f"(largest value {number(found.size)}).",
        where=f"what {model.type if model else 'the model'} was called with, batch 0, in eval mode",
        hint="pass the tokenizer's attention_mask on to the model, or make it: "
        f"(input_ids != {found.pad}).long().",
        location=loader.collate_location if loader else None,
        values={"pad": found.pad, "length": found.length, "padded_to": found.padded_to},
    )
