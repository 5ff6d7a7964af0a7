"""TD125: answers of question answering that begin or end behind the sequence."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, SampleFacts
from ...facts.batches import BatchFact, LeafFact
from ...report import Problem, Severity
from ..inputs import key_of
from ..registry import check
from ..wording import batch, count_of

POSITIONS = ("start_positions", "end_positions")


@check("TD125", Severity.ERROR)
def answers_beyond_sequence(
    batches: BatchFacts, samples: SampleFacts | None, loader: LoaderFacts | None
) -> Iterator[Problem]:
    """Every answer of a batch starts or ends behind the last token of its sequence.

    Why it matters: transformers' question answering models ignore such positions, and the mean over
    no position is nan, from the first step. A model of one's own fails with an index out of range.

    How to fix it: take the positions after truncation, from the tokens that are left (the offset
    mapping of the tokenizer), and not from the whole text. Cut long contexts into windows
    (`stride`, `return_overflowing_tokens`) so that the answer stays inside, and give windows
    without it the position 0.
    """
    found = [(one, leaf) for one in batches.good if (leaf := _beyond(one)) is not None]
    if not found:
        return
    one, leaf = found[0]
    length = _length(one)
    some = count_of(len(found), len(batches.good), "batch", "batches")
    yield Problem(
        f"all {leaf.name} of {some} lie behind the sequence: those of batch {one.number} are "
        f"{_range(leaf)}, its sequences have {length} tokens.",
        where=f"{batch(one.number, one.indices)}: {leaf.name}",
        hint="take the positions after truncation, from the tokens that are left; an answer that "
        "was cut off has the position 0.",
        location=(loader.collate_location if loader else None)
        or (samples.location if samples else None),
        values={"batches": [found_in.number for found_in, _ in found], "length": length},
    )


def _beyond(one: BatchFact) -> LeafFact | None:
    """The first field of positions all of which lie behind the sequence."""
    length = _length(one)
    positions = (leaf for leaf in one.leaves if key_of(leaf.path) in POSITIONS)
    if length is None:
        return None
    return next((p for p in positions if p.min is not None and p.min >= length), None)


def _length(one: BatchFact) -> int | None:
    """Tokens of each sequence of a batch."""
    shapes = [leaf.shape or () for leaf in one.leaves if key_of(leaf.path) == "input_ids"]
    return next((shape[1] for shape in shapes if len(shape) > 1), None)


def _range(leaf: LeafFact) -> str:
    return f"{leaf.min}" if leaf.min == leaf.max else f"{leaf.min} to {leaf.max}"
