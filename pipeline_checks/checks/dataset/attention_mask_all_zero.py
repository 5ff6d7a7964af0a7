"""TD114: an attention mask that leaves nothing."""

from collections.abc import Iterator

from ...facts import BatchFacts, ModelFacts, SampleFacts
from ...report import Problem, Severity
from ..inputs import key_of
from ..registry import Undecided, check
from ..wording import batch, count, count_of, sample_list

MASKS = frozenset({"attention_mask", "decoder_attention_mask"})


@check("TD114", Severity.ERROR)
def attention_mask_all_zero(
    samples: SampleFacts, model: ModelFacts, batches: BatchFacts | None
) -> Iterator[Problem]:
    """The attention mask of a sample is 0 everywhere: no token of it counts.

    Why it matters: attention over nothing is the softmax of a row of -inf, which is nan, or a mean
    over padding, which is noise. One such sample can make all weights nan.

    How to fix it: leave out empty texts, or let the tokenizer add its special tokens. In
    transformers 1 means "look at it" and 0 "padding": torch's key_padding_mask is the other way.
    """
    masks = batches.masks if batches else ()
    if not model.is_transformers or any(mask.is_inverted for mask in masks):
        return  # it hides the text of the rows without padding
    for field in samples.fields:
        if key_of(field.path) in MASKS and field.num_zero_rows and field.first_zero_row is not None:
            if batches is None:
                raise Undecided("whether the mask is only inverted shows in the batches")
            rows = field.num_zero_rows
            yield _problem(
                f"{field.name} is 0 in all positions of "
                f"{count_of(rows, samples.num_read, 'sample')}: no token of theirs counts.",
                f"dataset[{field.first_zero_row}]{field.path} is all 0",
                samples,
                (field.first_zero_row,),
            )
            return
    for mask in masks:
        if not mask.empty_rows:
            continue
        yield _problem(
            f"{key_of(mask.path)} is 0 in all positions of {count(len(mask.empty_rows), 'row')} of "
            "a batch: no token of theirs counts.",
            f"{batch(mask.batch)}: {sample_list(mask.empty_rows)}",
            samples,
            mask.empty_rows,
        )
        return


def _problem(message: str, where: str, samples: SampleFacts, indices: tuple[int, ...]) -> Problem:
    return Problem(
        message,
        where=where,
        hint="leave out empty texts, or tokenize with special tokens; if all rows are so, the mask "
        "is inverted (1 must mean a token that counts).",
        location=samples.location,
        values={"indices": list(indices)},
    )
