"""TD105: `__getitem__` returns None."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, SampleFacts
from ...report import Problem, Severity
from ..evidence import keeps_values
from ..registry import check
from ..wording import MOST_NAMES, count_of, join_words, sample


@check("TD105", Severity.ERROR)
def none_sample(
    samples: SampleFacts, loader: LoaderFacts | None, batches: BatchFacts | None
) -> Iterator[Problem]:
    """A sample is None.

    Why it matters: collating fails with a TypeError that names neither the dataset nor the sample.
    It is an info where the user's own collate function drops such samples.

    How to fix it: `__getitem__` has a way out without a `return`: an `if` without `else`, an
    `except` that only logs. Leave out bad records in `__init__`, raise, or drop None in
    `collate_fn`.
    """
    bad = samples.none_indices
    if not bad:
        return
    is_filtered = loader is not None and not keeps_values(loader) and not _breaks(bad, batches)
    number = max(samples.num_none, len(bad))
    names = [sample(index) for index in bad[:MOST_NAMES]]
    names += [f"{number - len(names)} more"] if number > len(names) else []
    examples = f"{join_words(names)} {'is' if number == 1 else 'are'} None"
    source = "__iter__ yields None" if samples.is_iterable else "__getitem__ returns None"
    yield Problem(
        f"{source} for {count_of(number, samples.num_read, 'sample')} that "
        f"{'was' if samples.num_read == 1 else 'were'} read.",
        where=examples,
        hint=f"look at {sample(bad[0])}: a path through the method ends without a return. Fix it, "
        "or leave such records out when the dataset is built (or filter them in collate_fn).",
        location=samples.location,
        severity=Severity.INFO if is_filtered else None,
        values={"indices": list(bad), "num_read": samples.num_read},
    )


def _breaks(bad: tuple[int, ...], batches: BatchFacts | None) -> bool:
    """Whether a batch that holds such a sample could not be put together."""
    failed = batches.failed if batches else ()
    return any(not batch.indices or set(bad) & set(batch.indices) for batch in failed)
