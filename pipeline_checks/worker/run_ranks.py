"""Run several ranks at once, and tell what became of each of them as one stage."""

from __future__ import annotations

import queue
import signal
import threading
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
from .errors import WorkerCrashError
from .job import Job
from .launch import Launch
from .listen import Listener
from .rank_process import RankProcess
from .run import run_in_worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..spec import Spec

ALONE_SOURCE = "tdebug.pipeline_checks.stages.distributed:run_alone"
JOINED_SOURCE = "tdebug.pipeline_checks.stages.distributed:run_joined_rank"
RANK_SOURCE = "tdebug.pipeline_checks.stages.distributed:run_rank"
START_LIMIT_S = 120.0  # torch is imported by the launcher before the first rank begins
ACCEPT_S = 0.2
LOOK_EVERY_S = 0.2
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
    with Launch(num_ranks) as launch:
        crowd = _Crowd(launch, spec, num_ranks)
        with closing(crowd):
            yield from crowd.start(Job(source, spec))
            yield from crowd.listen()
        facts = crowd.facts()
    yield Observed(facts)
    yield StageEnded(Stage.DISTRIBUTED, time.monotonic() - began, f"{num_ranks} ranks")


class _Crowd:
    """All ranks, each with a thread that listens to it."""

    def __init__(self, launch: Launch, spec: WorkerSpec, num_ranks: int) -> None:
        self._launch, self._spec, self._num_ranks = launch, spec, num_ranks
        self._ranks: dict[int, RankProcess] = {}
        self._threads: list[threading.Thread] = []
        self._told: queue.SimpleQueue[tuple[int, Event | BaseException | None]] = (
            queue.SimpleQueue()
        )
        self._facts: dict[int, RankFacts] = {}
        self._over: set[int] = set()
        self._given_up: set[int] = set()
        self._is_closing = False
        self._give_up_at: float | None = None

    def start(self, job: Job) -> Iterator[Event]:
        """Wait for the ranks to ask for their pipes, and give each its job."""
        end = time.monotonic() + START_LIMIT_S
        while len(self._ranks) < self._num_ranks:
            caller = self._launch.wait_for_caller(ACCEPT_S)
            if caller is None:
                if self._launch.is_over or time.monotonic() > end:
                    sentence = "The launcher did not start the ranks."
                    raise WorkerCrashError(sentence, self._launch.read_output())
                continue
            rank = RankProcess(caller, self._launch)
            self._ranks[rank.rank] = rank
            self._facts[rank.rank] = RankFacts(rank.rank)
            rank.begin(job)
            self._listen_to(rank)
            yield Progress(
                Stage.DISTRIBUTED, "starting the ranks", len(self._ranks), self._num_ranks
            )

    def _listen_to(self, rank: RankProcess) -> None:
        thread = threading.Thread(target=self._run_listener, args=[rank], daemon=True)
        self._threads.append(thread)
        thread.start()

    def _run_listener(self, rank: RankProcess) -> None:
        try:
            for event in Listener(rank, self._spec.timeout).events():
                self._told.put((rank.rank, event))
                if self._is_closing:
                    return
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self._told.put((rank.rank, error))
        self._told.put((rank.rank, None))

    def listen(self) -> Iterator[Event]:
        """What the ranks tell, until all are done or dead."""
        while len(self._over) < self._num_ranks:
            self._give_up_in_time()
            try:
                rank, told = self._told.get(timeout=LOOK_EVERY_S)
            except queue.Empty:
                continue
            if isinstance(told, BaseException):
                raise told
            if told is None:
                self._over.add(rank)
            else:
                yield from self._take(rank, told)

    def _take(self, rank: int, event: Event) -> Iterator[Event]:
        match event:
            case Progress(stage, text, done, total):
                yield Progress(stage, f"rank {rank}: {text}", done, total)
            case Observed(RankFacts() as facts):
                self._facts[rank] = facts
                if facts.failures or facts.calls or facts.absences:
                    self._expect_the_end()
            case Death():
                self._note_death(rank, event)
                self._expect_the_end()
            case Output(stage, text):
                lines = text.splitlines(keepends=True)
                yield Output(stage, "".join(f"[rank {rank}] {line}" for line in lines))
            case Note() | SpecMistake():
                yield event

    def _note_death(self, rank: int, death: Death) -> None:
        self._facts[rank] = replace(
            self._facts[rank], death=death, doing=death.doing, was_ended=rank in self._given_up
        )

    def _expect_the_end(self) -> None:
        if self._give_up_at is None:
            self._give_up_at = time.monotonic() + AFTERMATH_S

    def _give_up_in_time(self) -> None:
        """End the ranks that still wait for one that has failed."""
        if self._give_up_at is None or time.monotonic() < self._give_up_at:
            return
        for rank, process in self._ranks.items():
            if rank not in self._over:
                self._given_up.add(rank)
                process.kill()

    def facts(self) -> DistributedFacts:
        """What all have told."""
        ranks = [self._facts[rank] for rank in sorted(self._facts)]
        return DistributedFacts(tuple(_settle(ranks)))

    def close(self) -> None:
        """End all ranks and the threads that listen to them."""
        self._is_closing = True
        for rank, process in self._ranks.items():
            if rank not in self._over:
                process.kill()
        for thread in self._threads:
            thread.join()
        for process in self._ranks.values():
            process.close()


def _settle(ranks: list[RankFacts]) -> Iterator[RankFacts]:
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
