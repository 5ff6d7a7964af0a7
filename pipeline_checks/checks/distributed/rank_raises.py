"""TD808: a rank raises."""

from collections.abc import Iterator

from ...facts import DistributedFacts
from ...report import Problem, Severity
from ..evaluation_words import users_line
from ..rank_words import rank_list
from ..registry import check


@check("TD808", Severity.ERROR)
def rank_raises(distributed: DistributedFacts) -> Iterator[Problem]:
    """A rank raises where a single process does not.

    Why it matters:
        One rank that raises ends the run on all of them, and the others mostly report a lost
        connection, which hides the cause.

    How to fix it:
        The last of your lines shown raised on the ranks named. Look for what depends on the rank:
        a device of that number, a shard without data, a file that only rank 0 has written.
    """
    if distributed.dead:
        return
    first = {rank.rank: rank.failures[0] for rank in distributed.ranks if rank.failures}
    kinds = dict.fromkeys((failure.doing, failure.error.type) for failure in first.values())
    for doing, kind in kinds:
        alike = {r: f.error for r, f in first.items() if (f.doing, f.error.type) == (doing, kind)}
        numbers, error = list(alike), next(iter(alike.values()))
        is_all = len(numbers) == distributed.num_ranks
        who = f"all {distributed.num_ranks} ranks" if is_all else rank_list(numbers)
        yield Problem(
            f"{who} raised {error}",
            where=doing,
            hint="one process alone does not raise: look for what depends on the rank or on the "
            "number of ranks.",
            location=users_line(error),
            stack=error.user_frames,
            values={"ranks": numbers, "type": error.type, "text": error.text},
        )
