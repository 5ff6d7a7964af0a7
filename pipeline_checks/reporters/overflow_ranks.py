"""What several ranks saw of one training: who went bad first, and how the others fared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..checks.rank_words import rank_list
from .counting import counted
from .palette import BAD, QUIET

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..facts.watching import DetectionFact, RankWatched, WatchFacts
    from .page import Page

HANG = 12
ENDS = {"failure": "which raised", "left": "as far as it came"}


def who_was_first(facts: WatchFacts) -> str:
    """Which ranks went bad first, "" for one process."""
    first, num_ranks = facts.first_ranks, len(facts.ranks)
    if not first:
        return ""
    if len(first) == num_ranks:
        return f"All {num_ranks} ranks went bad at once; on rank {first[0]}"
    who = rank_list(first)
    who = f"{who[:1].upper()}{who[1:]} of {num_ranks}"
    if len(first) > 1:
        return f"{who} went bad first, at the same place of a step; on rank {first[0]}"
    return f"{who} went bad first"


def add_ranks(page: Page, facts: WatchFacts, headline: Callable[[DetectionFact], str]) -> None:
    """Add a line for each rank, where there are several.

    Args:
        page: Where to.
        facts: What was seen.
        headline: Says what a rank found.
    """
    if not facts.first_ranks:
        return
    page.gap()
    page.add(("what each rank saw", QUIET))
    for rank in facts.ranks:
        style = BAD if rank.rank in facts.first_ranks else ""
        label = (f"rank {rank.rank}", style)
        fate = _fate(rank, headline)
        if rank.rank == facts.first_ranks[0]:
            fate = "this is its story"
        page.add_labelled(label, fate, _last_loss(rank), indent=2, hang=HANG)


def ranks_text(facts: WatchFacts) -> str:
    """How many ranks trained, "" for one process."""
    return counted(len(facts.ranks), "rank") if facts.ranks else ""


def _fate(rank: RankWatched, headline: Callable[[DetectionFact], str]) -> str:
    found = rank.detection
    if found is None:
        return _end_of(rank)
    if found.is_own:
        return headline(found)
    return f"its own gradients of batch {found.batch} were finite, and bad after the average"


def _end_of(rank: RankWatched) -> str:
    if rank.death is not None and not rank.was_ended:
        at = f" ({rank.death.doing})" if rank.death.doing else ""
        return f"its process ended: {rank.death.name}{at}"
    if not rank.num_batches:
        return "it had not begun when the others ended"
    last = rank.num_batches - 1
    how = "where it waited and was ended" if rank.death is not None else ENDS.get(rank.ended_by)
    return f"no nan or inf up to batch {last}" + (f", {how}" if how else "")


def _last_loss(rank: RankWatched) -> tuple[str, str]:
    if not rank.losses or rank.detection is not None:
        return ("", "")
    batch, value = rank.losses[-1]
    return (f"; loss {value:.4g} in batch {batch}", QUIET)
