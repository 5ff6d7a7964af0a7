"""Run several ranks at once, and tell what became of each of them as one stage."""

from __future__ import annotations

import signal
import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from ..events import (
    Death,
    Event,
    Note,
    Observed,
    Output,
    Progress,
    SpecMistake,
    StageBegan,
    StageEnded,
)
from ..facts.distributed import DistributedFacts, RankFacts
from ..report import Stage
from ..spec.worker_spec import WorkerSpec
from .job import Job
from .launch import Launch
from .rank_crowd import RankCrowd
from .run import run_in_worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..spec import Spec

ALONE_SOURCE = "tdebug.pipeline_checks.stages.distributed:run_alone"
JOINED_SOURCE = "tdebug.pipeline_checks.stages.distributed:run_joined_rank"
RANK_SOURCE = "tdebug.pipeline_checks.stages.distributed:run_rank"
# After one has failed, the others have time to say where they wait for it.
AFTERMATH_S = 5.0


def run_in_ranks(spec: Spec | WorkerSpec, num_ranks: int) -> Iterator[Event]:
    """Run the stages in one process, and if all went well, the distributed stage in several.

    So every problem that one process has is told once, and evaluation by several is compared with
    that by one.

    Args:
        spec: What to run, and the limit of each stage (`timeout`, in seconds).
        num_ranks: How many processes.

    Raises:
        WorkerCrashError: tdebug itself failed in a process, or the launcher did not start them.
        NotImplementedError: There are no Unix pipes and signals here (Windows).
    """
    worker_spec = spec if isinstance(spec, WorkerSpec) else spec.for_worker()
    is_through = False
    for event in run_in_worker(worker_spec, source=ALONE_SOURCE):
        yield event
        is_through = isinstance(event, StageEnded) and event.stage is Stage.EVALUATE
    if is_through:
        yield from run_ranks(worker_spec, num_ranks)


def join_ranks(spec: Spec | WorkerSpec, rank: int) -> Iterator[Event]:
    """Run this process's part of a run that the user's own launcher (torchrun) has started.

    Rank 0 first runs the stages in one process, while the others wait; its events end with what all
    ranks have seen.

    Args:
        spec: What to run, and the limit of each stage (`timeout`, in seconds).
        rank: The rank of this process.

    Raises:
        WorkerCrashError: tdebug itself failed in the worker.
        NotImplementedError: There are no Unix pipes and signals here (Windows).
    """
    worker_spec = spec if isinstance(spec, WorkerSpec) else spec.for_worker()
    is_through = rank != 0
    for event in run_in_worker(worker_spec, source=ALONE_SOURCE) if rank == 0 else ():
        yield event
        is_through = isinstance(event, StageEnded) and event.stage is Stage.EVALUATE
    if is_through:
        yield from run_in_worker(worker_spec, source=JOINED_SOURCE)


def run_ranks(spec: WorkerSpec, num_ranks: int, *, source: str = RANK_SOURCE) -> Iterator[Event]:
    """Run the distributed stage in ranks that torch's elastic launcher starts.

    A rank that dies or is silent is part of the facts; no rank outlives the iterator.

    Args:
        spec: What to run, and the limit of the stage (`timeout`, in seconds).
        num_ranks: How many.
        source: `module:function`, called in each rank with the spec.

    Raises:
        WorkerCrashError: The launcher did not start the ranks, or tdebug failed in one.
    """
    began = time.monotonic()
    yield StageBegan(Stage.DISTRIBUTED)
    yield Progress(Stage.DISTRIBUTED, f"starting {num_ranks} ranks", 0, num_ranks)
    seen = _RankFactsSeen(num_ranks)
    with Launch(num_ranks) as launch, closing(RankCrowd(launch, num_ranks, spec.timeout)) as crowd:
        for num_begun in crowd.start(Job(source, spec)):
            yield Progress(Stage.DISTRIBUTED, "starting the ranks", num_begun, num_ranks)
        for rank, event in crowd.listen():
            yield from seen.take(rank, event)
            if seen.has_failure:
                crowd.expect_the_end(AFTERMATH_S)
    yield Observed(DistributedFacts(tuple(settle(seen.facts(crowd.given_up)))))
    yield StageEnded(Stage.DISTRIBUTED, time.monotonic() - began, f"{num_ranks} ranks")


class _RankFactsSeen:
    """What the ranks of the distributed stage have told."""

    def __init__(self, num_ranks: int) -> None:
        self.has_failure = False
        self._facts = {rank: RankFacts(rank) for rank in range(num_ranks)}

    def take(self, rank: int, event: Event) -> Iterator[Event]:
        """Take one event, and give those that are told on."""
        match event:
            case Progress(stage, text, done, total):
                yield Progress(stage, f"rank {rank}: {text}", done, total)
            case Observed(RankFacts() as facts):
                self._facts[rank] = facts
                self.has_failure |= bool(facts.failures or facts.calls or facts.absences)
            case Death():
                self._facts[rank] = replace(self._facts[rank], death=event, doing=event.doing)
                self.has_failure = True
            case Output(stage, text):
                yield Output(stage, marked_lines(rank, text))
            case Note() | SpecMistake():
                yield event

    def facts(self, given_up: set[int]) -> list[RankFacts]:
        """What each has told, in the order of the ranks; `given_up` are those that were ended."""
        return [
            replace(facts, was_ended=rank in given_up and facts.death is not None)
            for rank, facts in self._facts.items()
        ]


def marked_lines(rank: int, text: str) -> str:
    """What a rank printed, with the rank before each line."""
    return "".join(f"[rank {rank}] {line}" for line in text.splitlines(keepends=True))


def settle(ranks: list[RankFacts]) -> Iterator[RankFacts]:
    """Tell the ranks that died by themselves from those that were ended for it.

    The launcher ends all ranks with SIGTERM as soon as one has failed, and the news of both may
    come in any order.
    """
    has_cause = any(
        rank.failures or (rank.death is not None and rank.death.number != signal.SIGTERM)
        for rank in ranks
    )
    for rank in ranks:
        is_ended = rank.death is not None and rank.death.number == signal.SIGTERM and has_cause
        yield replace(rank, was_ended=rank.was_ended or is_ended)
