"""What several ranks tell of one training, put together as if one process had told it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..checks.rank_words import rank_list
from ..events import (
    Death,
    Note,
    Observed,
    Output,
    Progress,
    SpecMistake,
    StageBegan,
    StageEnded,
)
from ..facts import DistributedFacts, LoadFacts, RankFacts, WatchFacts
from ..facts.watching import RankWatched
from ..report import Stage
from ..worker.run_ranks import marked_lines, settle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..events import Event

NUM_LOSSES = 6
IN_VAIN = "no end while the others waited"
LOST = "the ranks lost each other, and none has told why."
SAME_BATCH = (
    "the first batch is the same on all ranks, so they train on the same samples: give the loader "
    "a DistributedSampler, or deal a stream out by rank (`tdebug check --nproc` says more)."
)


class RankNews:
    """Takes what each rank tells, and gives what is told on.

    Args:
        num_ranks: How many there are.

    Attributes:
        is_ending: Whether one has ended early, so that the others are about to.
    """

    def __init__(self, num_ranks: int) -> None:
        self.is_ending = False
        self._watched: dict[int, WatchFacts] = {}
        self._others: dict[int, list[Any]] = {rank: [] for rank in range(num_ranks)}
        self._progress: dict[int, Progress] = {}
        self._deaths: dict[int, Death] = {}
        self._mistakes: set[SpecMistake] = set()
        self._num_loaded = 0
        self._has_begun = False

    def take(self, rank: int, event: Event) -> Iterator[Event]:
        """Take one event of a rank, and give those that are told on."""
        match event:
            case Progress():
                yield from self._take_progress(rank, event)
            case Observed(WatchFacts() as facts):
                self._watched[rank] = facts
                self.is_ending |= facts.ended_by in {"detection", "failure", "left"}
                yield Observed(self._together())
            case Observed(fact):
                self._others[rank].append(fact)
            case Death():
                self._deaths[rank] = event
                self.is_ending = True
            case StageEnded(Stage.LOAD):
                yield from self._end_load()
            case StageBegan(Stage.FORWARD) if not self._has_begun:
                self._has_begun = True
                yield event
            case Output(stage, text):
                yield Output(stage, marked_lines(rank, text))
            case Note():
                yield event
            case SpecMistake() if event not in self._mistakes:
                self._mistakes.add(event)
                yield event

    def end(self, given_up: set[int], seconds: float) -> Iterator[Event]:
        """Tell what came of it.

        Args:
            given_up: The ranks that were ended because others had.
            seconds: How long it took.
        """
        settled = settle(self._rank_facts(given_up))
        ranks = {facts.rank: facts for facts in settled}
        together = self._together(ranks)
        if together.first_ranks:
            yield Observed(together)
        elif failed := self._failed_ranks():
            yield from self._tell_failure(failed)
        elif self._deaths:
            yield Observed(replace(together, ended_by="failure"))
            yield Observed(DistributedFacts(tuple(ranks.values())))
        else:
            yield from self._tell_health(together)
        yield from self._compare_first_batches()
        num_batches = sum(facts.num_batches for facts in self._watched.values())
        yield StageEnded(Stage.FORWARD, seconds, f"{num_batches} batches in {len(ranks)} ranks")

    def _take_progress(self, rank: int, event: Progress) -> Iterator[Event]:
        """Tell of the rank that is furthest behind, the lowest of those."""
        self._progress[rank] = event
        in_training = [e for e in self._progress.values() if e.stage is Stage.FORWARD]
        if in_training and len(in_training) < len(self._progress):
            return
        behind = min(self._progress, key=lambda r: (self._progress[r].done or 0, r))
        at = self._progress[behind]
        yield Progress(at.stage, f"rank {behind}: {at.text}", at.done, at.total)

    def _end_load(self) -> Iterator[Event]:
        self._num_loaded += 1
        if self._num_loaded < len(self._others):
            return
        failed = self._failed_ranks()
        yield from map(Observed, self._others[failed[0] if failed else 0])
        yield StageEnded(Stage.LOAD)

    def _failed_ranks(self) -> list[int]:
        """The ranks in which the user's code raised."""
        by_batch = [rank for rank, facts in self._watched.items() if facts.ended_by == "failure"]
        by_load = [rank for rank, facts in self._others.items() if _has_failed_to_load(facts)]
        return sorted({*by_batch, *by_load})

    def _tell_failure(self, failed: list[int]) -> Iterator[Event]:
        yield from map(Observed, self._others[failed[0]])
        if failed[0] in self._watched:
            yield Observed(replace(self._watched[failed[0]], ended_by="failure"))
        well = [rank for rank in self._others if rank not in failed]
        if not well:
            yield Note(f"all ranks raised; this is what rank {failed[0]} did.")
            return
        yield Note(
            f"{rank_list(failed)} raised, and {rank_list(well)} did not: look for what depends on "
            "the rank."
        )

    def _tell_health(self, together: WatchFacts) -> Iterator[Event]:
        """Nothing was found, though one may have had less data than the others."""
        through = [rank for rank, facts in self._watched.items() if facts.ended_by != "left"]
        if not through:
            yield Observed(together)
            yield Note(LOST)
            return
        if len(through) < len(self._others):
            last = min(facts.num_batches for facts in self._watched.values()) - 1
            yield Note(
                f"{rank_list(through)} had no more data after batch {last}, so all ended there: "
                "with DistributedDataParallel the others would wait for ever."
            )
        yield Observed(replace(together, ended_by="done"))

    def _together(self, ranks: dict[int, RankFacts] | None = None) -> WatchFacts:
        """The facts of the rank that went bad first, with what all have seen."""
        told = tuple(self._rank_watched(rank, ranks) for rank in self._others)
        together = WatchFacts(ranks=told)
        lead = next(iter((*together.first_ranks, *sorted(self._watched))), None)
        return together if lead is None else replace(self._watched[lead], ranks=told)

    def _rank_watched(self, rank: int, ranks: dict[int, RankFacts] | None) -> RankWatched:
        facts = self._watched.get(rank) or WatchFacts(ended_by="")
        is_dead = rank in self._deaths
        return RankWatched(
            rank,
            facts.num_batches,
            facts.num_steps,
            facts.losses[-NUM_LOSSES:],
            "death" if is_dead and not facts.ended_by else facts.ended_by,
            facts.detection,
            self._deaths.get(rank),
            ranks is not None and ranks[rank].was_ended,
        )

    def _rank_facts(self, given_up: set[int]) -> list[RankFacts]:
        """How each ended; one that was waited for in vain is at fault where nothing else is."""
        has_found = any(facts.detection is not None for facts in self._watched.values())
        if not has_found and not self._failed_ranks() and given_up.issuperset(self._deaths):
            for rank in given_up & self._deaths.keys():
                death = self._deaths[rank]
                self._deaths[rank] = replace(death, kind="timeout", number=None, name=IN_VAIN)
            given_up = set()
        return [
            RankFacts(rank, death=death, was_ended=death is not None and rank in given_up)
            for rank, death in ((rank, self._deaths.get(rank)) for rank in self._others)
        ]

    def _compare_first_batches(self) -> Iterator[Event]:
        marks = [facts.first_batch for facts in self._watched.values()]
        if len(marks) > 1 and marks[0] and len(set(marks)) == 1:
            yield Note(SAME_BATCH)


def _has_failed_to_load(facts: list[Any]) -> bool:
    return any(_is_broken(fact) for fact in facts if isinstance(fact, LoadFacts))


def _is_broken(load: LoadFacts) -> bool:
    return load.import_error is not None or any(part.error or part.problem for part in load.parts)
