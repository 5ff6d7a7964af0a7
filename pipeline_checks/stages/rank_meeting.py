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
    from collections.abc import Iterable, Iterator

    from ...gather import Absence

# Half of the limit of a stage, so that who is missing is said before the rank is ended; and no
# longer than a person waits.
MOST_PATIENCE_S = 60.0
LATER_S = 3.0  # a collective fails so long after that: the ranks' own word comes before its error
ANSWER_S = 3.0  # for a rank that is asked where it is
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
        said = self._exchange(call, {"is_well": is_well})
        return all(each["is_well"] for each in said.values())

    def agree_on_least(self, number: int, place: str) -> int:
        """Tell the others a number, and be told the least of all.

        Raises:
            RanksApartError: They are not at the same place, or not all there.
        """
        said = self._exchange(RankCall(self.rank, "", place), {"number": number})
        return min(int(each["number"]) for each in said.values())

    def give_up_on(self, other: int, call: RankCall, waited_s: float) -> None:
        """Say where a rank is for which this one has waited in vain, between the two of them.

        Raises:
            RanksApartError: Always, but for a rank that is not there at all.
        """
        within = f"asking from {self.rank}"  # where nobody comes
        question = self.roll_call.open_meeting(call.place, timeout_s=ANSWER_S, within=within)
        try:
            self.roll_call.wait_for(question, "word", [other])
        except RanksMissingError as error:
            self.absences = _absences(error.absences, waited_s, call.place)
            raise RanksApartError(str(error)) from error

    def _exchange(self, call: RankCall, word: dict[str, Any]) -> dict[int, dict[str, Any]]:
        if self.is_apart:
            raise RanksApartError("the ranks have lost each other")
        told = {"call": asdict(call), **word}
        try:
            said = self.roll_call.exchange(
                told, PLACE, timeout_s=self.patience_s, among=call.group or None
            )
        except RanksMissingError as error:
            self.absences = _absences(error.absences, error.waited_s, call.place)
            raise RanksApartError(str(error)) from error
        calls = [_read_call(each["call"]) for each in said.values()]
        if len({(c.operation, c.arrays, c.place if not c.operation else "") for c in calls}) > 1:
            self.calls = tuple(calls)
            raise RanksApartError("the ranks are at different places")
        return said


def _absences(missing: Iterable[Absence], waited_s: float, place: str) -> tuple[RankAbsence, ...]:
    return tuple(
        RankAbsence(
            a.rank,
            a.reason.value,
            a.detail,
            shown_stack(read_traceback(a.stack)),
            waited_s,
            place,
        )
        for a in missing
    )


def _read_call(word: dict[str, Any]) -> RankCall:
    location = Location(**word["location"]) if word["location"] else None
    arrays, group = tuple(word["arrays"]), tuple(word["group"])
    return RankCall(**{**word, "location": location, "arrays": arrays, "group": group})


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
    _name_the_cpu_to_accelerate()
    with _group(device, start_s or patience_s + LATER_S), RollCall() as roll_call:
        yield RankMeeting(dist.get_rank(), patience_s, roll_call)


def _name_the_cpu_to_accelerate() -> None:
    """Let a Trainer and an Accelerator be distributed here, as they will be on the GPUs.

    Without a GPU and without this word they take each rank for a run of its own.
    """
    if not torch.cuda.is_available():
        os.environ.setdefault("ACCELERATE_USE_CPU", "true")


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
