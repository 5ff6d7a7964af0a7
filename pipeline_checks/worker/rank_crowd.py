"""All ranks of a run, each with a thread that listens to it, and what they tell in one stream."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING

from .errors import WorkerCrashError
from .listen import Listener
from .rank_process import RankProcess

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..events import Event
    from .job import Job
    from .launch import Launch

START_LIMIT_S = 120.0  # torch is imported by the launcher before the first rank begins
ACCEPT_S = 0.2
LOOK_EVERY_S = 0.2


class RankCrowd:
    """The ranks of one launch.

    Args:
        launch: What starts them.
        num_ranks: How many.
        limit_s: Seconds after which a stage of a rank is ended.

    Attributes:
        given_up: The ranks that were ended because others had failed.
    """

    def __init__(self, launch: Launch, num_ranks: int, limit_s: float) -> None:
        self.given_up: set[int] = set()
        self._launch, self._num_ranks, self._limit_s = launch, num_ranks, limit_s
        self._ranks: dict[int, RankProcess] = {}
        self._threads: list[threading.Thread] = []
        self._told: queue.SimpleQueue[tuple[int, Event | BaseException | None]] = (
            queue.SimpleQueue()
        )
        self._over: set[int] = set()
        self._is_closing = False
        self._give_up_at: float | None = None

    def start(self, job: Job) -> Iterator[int]:
        """Wait for the ranks to ask for their pipes, and give each its job; yields how many have.

        Raises:
            WorkerCrashError: The launcher did not start them.
        """
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
            rank.begin(job)
            self._listen_to(rank)
            yield len(self._ranks)

    def listen(self) -> Iterator[tuple[int, Event]]:
        """Each rank and what it tells, until all are done or dead.

        Raises:
            WorkerCrashError: tdebug itself failed in a rank.
        """
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
                yield rank, told

    def expect_the_end(self, within_s: float) -> None:
        """Give the ranks that are left so many seconds from now, if that was not done before."""
        if self._give_up_at is None:
            self._give_up_at = time.monotonic() + within_s

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

    def _listen_to(self, rank: RankProcess) -> None:
        thread = threading.Thread(target=self._run_listener, args=[rank], daemon=True)
        self._threads.append(thread)
        thread.start()

    def _run_listener(self, rank: RankProcess) -> None:
        try:
            for event in Listener(rank, self._limit_s).events():
                self._told.put((rank.rank, event))
                if self._is_closing:
                    return
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self._told.put((rank.rank, error))
        self._told.put((rank.rank, None))

    def _give_up_in_time(self) -> None:
        """End the ranks that still wait for one that has failed."""
        if self._give_up_at is None or time.monotonic() < self._give_up_at:
            return
        for rank, process in self._ranks.items():
            if rank not in self._over and rank not in self.given_up:
                self.given_up.add(rank)
                process.kill()
