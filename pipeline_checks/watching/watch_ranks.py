"""The parent's side of a training that several ranks do together, each under watch."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from ..events import Death, Output, Progress, StageBegan
from ..facts.codec import encode
from ..report import Stage
from ..worker.job import Job
from ..worker.launch import Launch
from ..worker.rank_crowd import RankCrowd
from ..worker.run import run_in_worker
from .options import COLLECT_SOURCE, JOINED_SOURCE, LEAVE_SOURCE, RANK_SOURCE
from .rank_news import RankNews

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..events import Event
    from ..spec import WorkerSpec

# Once one has found a nan or inf, the others have time to say what they have seen. With gloo they
# are free as soon as its process ends; with nccl they would wait on.
AFTERMATH_S = 30.0


def train_in_ranks(spec: WorkerSpec, num_ranks: int) -> Iterator[Event]:
    """Train in ranks that torch's elastic launcher starts, and tell it as one training.

    The facts are those of the rank that went bad first, with what all ranks have seen. A rank that
    waits for one that has stopped is ended; no rank outlives the iterator.

    Args:
        spec: What to train, how it is watched, and the limit of a stage (`timeout`, in seconds).
        num_ranks: How many.

    Raises:
        WorkerCrashError: The launcher did not start the ranks, or tdebug failed in one.
        NotImplementedError: There are no Unix pipes and signals here (Windows).
    """
    began = time.monotonic()
    yield StageBegan(Stage.LOAD)
    yield Progress(Stage.LOAD, f"starting {num_ranks} ranks", 0, num_ranks)
    news = RankNews(num_ranks)
    with Launch(num_ranks) as launch, closing(RankCrowd(launch, num_ranks, spec.timeout)) as crowd:
        for num_begun in crowd.start(Job(RANK_SOURCE, spec)):
            yield Progress(Stage.LOAD, "starting the ranks", num_begun, num_ranks)
        for rank, event in crowd.listen():
            yield from news.take(rank, event)
            if news.is_ending:
                crowd.expect_the_end(AFTERMATH_S)
    yield from news.end(crowd.given_up, time.monotonic() - began)


def join_watched_ranks(spec: WorkerSpec, rank: int) -> Iterator[Event]:
    """Train this process's part in a run that the user's own launcher (torchrun) has started.

    Rank 0 then tells what all ranks have seen, as `train_in_ranks` does; the others tell of their
    progress alone.

    Args:
        spec: What to train, how it is watched, and the limit of a stage (`timeout`, in seconds).
        rank: The rank of this process.

    Raises:
        WorkerCrashError: tdebug itself failed in the worker.
        NotImplementedError: There are no Unix pipes and signals here (Windows).
    """
    death: Death | None = None
    for event in run_in_worker(spec, source=JOINED_SOURCE):
        if isinstance(event, Death):
            death = event
        if isinstance(event, (Progress, Output)):
            yield event
    if death is not None:
        options = {**spec.options, "death": encode(death)}
        yield from run_in_worker(replace(spec, options=options), source=LEAVE_SOURCE)
    if rank == 0:
        yield from run_in_worker(spec, source=COLLECT_SOURCE)
