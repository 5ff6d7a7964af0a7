"""Words about ranks: which, how many, and what each has."""

from collections.abc import Iterable, Mapping, Sequence

from .wording import join_words

MOST_RANKS = 8


def rank_list(ranks: Sequence[int]) -> str:
    """`rank 1`, `ranks 0 and 2`.

    >>> rank_list([1]), rank_list([0, 2, 3])
    ('rank 1', 'ranks 0, 2 and 3')
    """
    shown = [str(rank) for rank in ranks[:MOST_RANKS]]
    if len(ranks) > MOST_RANKS:
        shown.append(f"{len(ranks) - MOST_RANKS} more")
    return f"rank{'s' if len(ranks) > 1 else ''} {join_words(shown)}"


def by_rank(values: Mapping[int, object]) -> str:
    """What each rank has, the ranks that have the same put together.

    >>> by_rank({0: "5 batches", 1: "4 batches", 2: "5 batches"})
    'ranks 0 and 2: 5 batches, rank 1: 4 batches'
    """
    return ", ".join(f"{who}: {value}" for who, value in groups_of(values).items())


def groups_of(values: Mapping[int, object]) -> dict[str, object]:
    """The ranks that have the same, in words, with what they have.

    >>> groups_of({0: "a", 1: "b", 2: "a"})
    {'ranks 0 and 2': 'a', 'rank 1': 'b'}
    """
    groups: dict[object, list[int]] = {}
    for rank, value in values.items():
        groups.setdefault(value, []).append(rank)
    return {rank_list(ranks): value for value, ranks in groups.items()}


def differ(values: Iterable[object]) -> bool:
    """Whether not all are the same."""
    return len(set(values)) > 1
