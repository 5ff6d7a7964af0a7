"""The process group of a rank, and the places where the ranks meet."""

from __future__ import annotations

import os
import socket
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d

from ...gather import RanksDisagreeError, RanksMissingError, RollCall
from ..events import Death, Observed
from ..facts.codec import decode, encode
from ..facts.distributed import RankAbsence, RankCall, RankFacts
from ..report import Location, Stage
from ..worker.deaths import shown_stack
from ..worker.stack_text import read_traceback

if TYPE_CHECKING:
    from collections.abc import Iterator

# Half of the limit of a stage, so that who is missing is said before the rank is ended; and no
# longer than a person waits.
MOST_PATIENCE_S = 60.0
PLACE = "where the ranks meet"
FACTS_PLACE = "the end of the run"


class RanksApartError(RuntimeError):
    """The ranks are not at the same place, or not all there; going on would hang."""


@dataclass
class RankMeeting:
    """Where this rank meets the others.

    Attributes:
        rank: This rank.
        patience_s: How long it waits for ranks that live, in seconds.
        calls: Where the ranks were when they did not agree; () while they do.
        absences: Who did not come.
    """

    rank: int
    patience_s: float
    roll_call: RollCall
    calls: tuple[RankCall, ...] = ()
    absences: tuple[RankAbsence, ...] = field(default=())

    @property
    def is_apart(self) -> bool:
        """Whether the ranks have lost each other, so that nothing more can be done together."""
        return bool(self.calls or self.absences)

    def meet(self, call: RankCall, *, is_well: bool = True) -> bool:
        """Tell the others where this rank is, and be told where they are.

        Args:
            call: Where it is.
            is_well: False where it has failed.

        Returns:
            Whether all are well.

        Raises:
            RanksApartError: They are not at the same place, or not all there.
        """
        if self.is_apart:
            raise RanksApartError("the ranks have lost each other")
        word = {"call": asdict(call), "is_well": is_well}
        try:
            said = self.roll_call.exchange(word, PLACE, timeout_s=self.patience_s)
        except RanksMissingError as error:
            self.absences = tuple(
                RankAbsence(
                    a.rank,
                    a.reason.value,
                    a.detail,
                    shown_stack(read_traceback(a.stack)),
                    error.waited_s,
                    call.place,
                )
                for a in error.absences
            )
            raise RanksApartError(str(error)) from error
        calls = [_read_call(each["call"]) for each in said.values()]
        if len({(c.operation, c.arrays, c.place if not c.operation else "") for c in calls}) > 1:
            self.calls = tuple(calls)
            raise RanksApartError("the ranks are at different places")
        return all(each["is_well"] for each in said.values())


def _read_call(word: dict[str, Any]) -> RankCall:
    location = Location(**word["location"]) if word["location"] else None
    return RankCall(**{**word, "location": location, "arrays": tuple(word["arrays"])})


def gather_rank_facts(meeting: RankMeeting, own: RankFacts) -> tuple[RankFacts, ...]:
    """What all ranks have seen, in their order; of those that are gone, that they are."""
    try:
        said = meeting.roll_call.exchange(
            encode(Observed(own)), FACTS_PLACE, timeout_s=meeting.patience_s
        )
    except (RanksMissingError, RanksDisagreeError):
        gone = {a.rank: a for a in own.absences if a.reason == "dead"}
        dead = {
            rank: RankFacts(rank, death=Death(Stage.DISTRIBUTED, "lost", None, absence.detail))
            for rank, absence in gone.items()
        }
        return tuple(facts for _, facts in sorted({own.rank: own, **dead}.items()))
    decoded: list[Any] = [decode(said[rank]) for rank in sorted(said)]
    return tuple(event.fact for event in decoded)


@contextmanager
def joined_ranks(
    device: str, limit_s: float, start_s: float | None = None
) -> Iterator[RankMeeting]:
    """Join the group that the launcher's environment describes, and leave it at the end.

    Args:
        device: Where the user's code will run.
        limit_s: The limit of a stage, in seconds.
        start_s: How long to wait for the other ranks at the start, where that may take longer.
    """
    patience_s = min(limit_s / 2, MOST_PATIENCE_S)
    with _group(device, start_s or patience_s), RollCall() as roll_call:
        yield RankMeeting(dist.get_rank(), patience_s, roll_call)


@contextmanager
def alone_in_group() -> Iterator[None]:
    """Be the only rank of a group, with the environment variables that a launcher would set."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    alone = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "LOCAL_WORLD_SIZE": "1"}
    os.environ.update({**alone, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)})
    store = dist.HashStore()  # type: ignore[attr-defined] # documented, and not exported by name
    with _group("cpu", MOST_PATIENCE_S, store=store, rank=0, world_size=1):
        yield


@contextmanager
def _group(device: str, timeout_s: float, **how: Any) -> Iterator[None]:
    """A process group with a bounded timeout, which the user's code finds and cannot end.

    Code that would make the group itself (with a backend for devices that are not here, say) is
    let believe that it did.
    """
    has_gpu = device.startswith("cuda") and torch.cuda.is_available()
    backend = "cpu:gloo,cuda:nccl" if has_gpu else "gloo"
    dist.init_process_group(backend, timeout=timedelta(seconds=timeout_s), **how)
    with ExitStack() as stack:
        for module in (dist, distributed_c10d):
            for name in ("init_process_group", "destroy_process_group"):
                stack.callback(setattr, module, name, getattr(module, name))
                setattr(module, name, _does_nothing)
        yield


def _does_nothing(*_: object, **__: object) -> None:
    """Stand in for what makes or ends the group."""
