"""Batches that are taken apart as if they had another form: `x, y = batch`."""

import re

from ..facts import ModelFacts, TrainingFacts
from ..facts.batches import LeafFact
from ..facts.training import FailureFact
from .inputs import key_of
from .wording import join_words, quoted_list, shape_text

OF_TEXT = re.compile(r"\bnot str\b|^'str' object")
TOO_MANY = re.compile(r"^too many values to unpack \(expected (\d+)\b")
TOO_FEW = re.compile(r"^not enough values to unpack \(expected (\d+), got (\d+)\)")
# A name alone on the right: `x, y = batch`, not `b, c = x.shape`.
OF_NAME = re.compile(r"^[\w\s,()*]+=\s*\w+\s*(#.*)?$")
MOST = 6


def unpacked_mapping(
    failure: FailureFact, _training: TrainingFacts, _model: ModelFacts | None
) -> tuple[str, str] | None:
    """A dict that was taken apart: its keys go on instead of its values."""
    is_of_text = OF_TEXT.search(failure.error.text) is not None
    tops = _tops(failure)
    is_mapping = len(tops) > 1 and all(leaf.path.startswith('["') for leaf in failure.inputs)
    holds_text = any(leaf.shape is None for leaf in failure.inputs)
    if not is_of_text or not is_mapping or holds_text:
        return None
    values = join_words([f'batch["{key}"]' for key in list(tops)[:MOST]])
    return (
        f"the batch is a dict, and x, y = batch takes its keys {quoted_list(list(tops))}",
        f"read its values by their keys: {values}.",
    )


def unpacked_wrongly(
    failure: FailureFact, _training: TrainingFacts, _model: ModelFacts | None
) -> tuple[str, str] | None:
    """A tuple that was taken apart into another number of names."""
    text = failure.error.text
    found = TOO_MANY.search(text) or TOO_FEW.search(text)
    tops = _tops(failure)
    is_tuple = bool(tops) and all(key.isdigit() for key in tops)
    line = failure.error.user_frames[-1].code if failure.error.user_frames else None
    if not OF_NAME.match((line or "").strip()):
        return None
    if found is None or failure.module is not None or not is_tuple:
        return None
    expected, given = int(found.group(1)), len(tops)
    is_of_batch = expected < given if len(found.groups()) == 1 else int(found.group(2)) == given
    if not is_of_batch:
        return None
    entries = join_words([_entry(key, leaves) for key, leaves in list(tops.items())[:MOST]])
    names = ", ".join("xyzuvw"[:given]) if given <= MOST else "*parts"
    return (
        f"the batch has {given} entries, {expected} are asked for",
        (
            f"the batch is {entries}: take all of them where {expected} are taken "
            f"({names} = batch), or leave out in the dataset what is not used."
        ),
    )


def _tops(failure: FailureFact) -> dict[str, list[LeafFact]]:
    """The values in the batch by their outermost key."""
    tops: dict[str, list[LeafFact]] = {}
    for leaf in failure.inputs:
        tops.setdefault(key_of(leaf.path), []).append(leaf)
    return tops


def _entry(key: str, leaves: list[LeafFact]) -> str:
    first = leaves[0]
    if first.shape is None or first.path.count("[") > 1:
        example = f" ({first.example!r}, ...)" if first.example else ""
        return f"batch[{key}] with {len(leaves)} values{example}"
    return f"batch[{key}] {shape_text(first.shape)} {first.dtype}"
