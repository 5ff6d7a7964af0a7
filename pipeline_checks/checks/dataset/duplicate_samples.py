"""TD120: samples that are exact copies of others."""

from collections.abc import Iterator

from ...facts import SampleFacts
from ...report import Problem, Severity
from ..chance_copies import repeat_by_chance
from ..registry import Undecided, check
from ..wording import count_of, percent, sample

SHARE = 0.02
# Smaller samples, or fewer copies, are alike by chance.
FEWEST_VALUES = 8
FEWEST_COPIES = 5


@check("TD120", Severity.WARNING)
def duplicate_samples(samples: SampleFacts) -> Iterator[Problem]:
    """Over 2 % of the samples are exact copies of earlier ones.

    Why it matters: copies count twice in the loss, and a random split puts some of them on both
    sides, so that validation looks better than it is. Only exact copies are seen.

    How to fix it: drop them before splitting (`df.drop_duplicates()`), and look for a join or a
    concatenation that repeats rows, or an index that is not used in `__getitem__`.
    """
    copies = samples.copies
    if copies is None or not copies.num_compared:
        raise Undecided("the samples were not compared with each other")
    if copies.num_values < FEWEST_VALUES or copies.num_repeated < FEWEST_COPIES:
        return
    if copies.num_repeated <= SHARE * copies.num_compared:
        return
    where, n = "", copies.num_compared
    if copies.first is not None and copies.same_as is not None:
        where = f"{sample(copies.first)} equals {sample(copies.same_as)}"
    yield Problem(
        f"{count_of(copies.num_repeated, copies.num_compared, 'sample')} "
        f"({percent(copies.num_repeated, copies.num_compared)}) are exact copies (duplicates) of "
        "earlier ones.",
        where=where,
        hint="drop them before the data is split; if all are alike, look whether __getitem__ uses "
        "its index.",
        location=samples.location,
        severity=Severity.INFO if samples.is_iterable or repeat_by_chance(samples, n * n) else None,
        values={"num_repeated": copies.num_repeated, "num_compared": copies.num_compared},
    )
