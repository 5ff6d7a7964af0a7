"""TD207: the data is sorted by label and not shuffled."""

from collections.abc import Iterator

from ...facts import BatchFacts, CallFacts, LoaderFacts, SampleFacts
from ...facts.batches import BatchFact, LeafFact
from ...report import Problem, Severity
from ..labels import find_classes, is_label_name
from ..registry import Undecided, check
from ..wording import count_of

# Smaller batches, and fewer of them, hold a single class by chance.
FEWEST_ROWS = 4
FEWEST_BATCHES = 3
SHARE_OF_BATCHES = 0.5
SHARE_OF_CLASS = 0.9


@check("TD207", Severity.WARNING)
def loader_not_shuffled(
    batches: BatchFacts, samples: SampleFacts, loader: LoaderFacts, calls: CallFacts | None
) -> Iterator[Problem]:
    """Most batches hold a single class although the data has several.

    Why it matters: the model learns to say one class for a while, then the next; batch norm
    statistics and the loss swing with it.

    How to fix it: `DataLoader(..., shuffle=True)`, or shuffle a stream with a buffer.
    """
    if (
        loader.is_made_up
        or loader.is_shuffled is not False
        or loader.sampler != "SequentialSampler"
    ):
        return
    label = find_classes(samples, calls)
    if label is None or not label.is_scalar or len(label.values) < 2:  # noqa: PLR2004 - classes
        return
    if not all("int" in kind.kind for kind in label.kinds):
        return
    seen = [leaf for one in batches.good for leaf in [_label_of(one, label.path)] if leaf]
    if len(seen) < FEWEST_BATCHES:
        raise Undecided("too few batches hold labels that can be looked at")
    single = [leaf for leaf in seen if leaf.min == leaf.max]
    most = max(entry.count for entry in label.values) / sum(e.count for e in label.values)
    if len(single) <= SHARE_OF_BATCHES * len(seen) or most >= SHARE_OF_CLASS:
        return
    if len({leaf.min for leaf in single}) == 1 and most > SHARE_OF_BATCHES:
        return
    yield Problem(
        f"{count_of(len(single), len(seen), 'batch', 'batches')} hold a single class, though the "
        f"samples have {len(label.values)} classes: they are sorted by label and not shuffled.",
        where=f"the train loader ({loader.sampler}), {label.path}",
        hint="shuffle=True in the DataLoader.",
        values={"num_single": len(single), "num_batches": len(seen)},
    )


def _label_of(one: BatchFact, path: str) -> LeafFact | None:
    """The labels of a batch, where there are enough of them."""
    for leaf in one.leaves:
        is_label = leaf.path == path or is_label_name(leaf.name)
        if is_label and leaf.min is not None and (one.size or 0) >= FEWEST_ROWS:
            return leaf
    return None
