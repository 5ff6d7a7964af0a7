"""What the ranks of the user's own launcher run for `tdebug overflow`, and how their news meet.

A rank that has found a nan must end, so that the others no longer wait for it; what it has seen is
left in the launcher's store, where a process that rank 0 starts afterwards finds it.
"""

from __future__ import annotations

import os
import time
from datetime import timedelta
from typing import TYPE_CHECKING

import torch.distributed as dist

from ..events import Death, Note, Observed, SpecMistake, StageBegan, StageEnded
from ..facts import FramesSeen
from ..facts.codec import decode, encode
from ..report import Stage
from .rank_news import RankNews
from .run_rank import run_watched_rank

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch._C._distributed_c10d import Store  # torch.distributed does not export it by name

    from ..events import Event
    from ..spec import WorkerSpec

KEPT = (Note, Observed, SpecMistake, StageEnded)
CONNECT_S = 10.0
NEWS_LIMIT_S = 60.0  # the others have ended, or are about to: rank 0 is gone
LOOK_EVERY_S = 0.1
SILENT = "it told nothing"
DEATH = "death"  # among the options of the spec, for `leave_death`


def run_joined_rank(spec: WorkerSpec) -> Iterator[Event]:
    """Train this rank's part under watch, and leave what it told in the launcher's store."""
    told: list[str] = []
    for event in run_watched_rank(spec):
        if isinstance(event, KEPT) and not _holds_frames(event):
            told.append(encode(event))
        yield event
    _leave(told)


def leave_death(spec: WorkerSpec) -> Iterator[Event]:
    """Leave word of how this rank's process ended, which its options hold."""
    _leave([spec.options[DEATH]])
    yield from ()


def collect_ranks(spec: WorkerSpec) -> Iterator[Event]:
    """Tell what all ranks have left in the store as one training."""
    del spec
    began = time.monotonic()
    num_ranks = int(os.environ["WORLD_SIZE"])
    news, store = RankNews(num_ranks), _connect()
    yield StageBegan(Stage.LOAD)
    for rank in range(num_ranks):
        for event in _read(store, rank, began + NEWS_LIMIT_S):
            yield from news.take(rank, event)
    yield from news.end(set(), time.monotonic() - began)


def _holds_frames(event: Event) -> bool:
    return isinstance(event, Observed) and isinstance(event.fact, FramesSeen)


def _read(store: Store, rank: int, end: float) -> Iterator[Event]:
    key = _key(rank)
    while not store.check([key]):
        if time.monotonic() > end:
            yield Death(Stage.FORWARD, "lost", None, SILENT)
            return
        time.sleep(LOOK_EVERY_S)
    yield from map(decode, store.get(key).decode().splitlines())


def _leave(told: list[str]) -> None:
    _connect().set(_key(int(os.environ["RANK"])), "\n".join(told))


def _connect() -> Store:
    """A client of the launcher's store, which lives as long as any of its ranks."""
    address, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    limit = timedelta(seconds=CONNECT_S)
    return dist.TCPStore(address, port, is_master=False, timeout=limit)  # type: ignore[attr-defined] # documented, and not exported by name


def _key(rank: int) -> str:
    run = (os.environ.get(f"TORCHELASTIC_{name}", "") for name in ("RUN_ID", "RESTART_COUNT"))
    return f"tdebug/watched/{'/'.join(run)}/{rank}"
