"""Meet the other ranks by name: who does not come, and why, is said instead of a hang."""

from __future__ import annotations

import hashlib
import weakref
from collections import Counter
from typing import TYPE_CHECKING, Any

import torch.distributed as dist

from .attendance import Attendance
from .errors import RanksDisagreeError, RanksMissingError
from .identity import Identity
from .mailbox import Mailbox, StoreLostError
from .meeting import DEFAULT_TIMEOUT_S, Meeting
from .patience import Patience
from .presence import Presence, linger
from .process_group import get_group_store, require_process_group
from .waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from .absence import Absence

_STORE_LOST_S = 2.0  # a process that took the store with it may still be on its way out

_num_made: Counter[str] = Counter()


class RollCall:
    """Meetings of the ranks of a group, over the store that the group was made with.

    No collective is involved: a rank that dies, raises or goes elsewhere cannot make another
    hang, and the group stays usable. From its making on, a rank gives a sign of life every second
    and can be asked for its stack. All ranks make it, and meet in it, in the same order.

    Whoever does not come to a meeting is named on every rank that waits: one that raised or
    finished at once; one that died within 10 s (1 s on the same machine); one that lives when the
    time limit is over, with its Python stack.

    Args:
        group: The process group; by default the one of all ranks.

    Attributes:
        rank: The rank of this process in the default group, as all ranks here and in errors.
        ranks: All ranks of the group, in its order.

    Raises:
        ValueError: torch.distributed is not initialised.
    """

    def __init__(self, group: dist.ProcessGroup | None = None) -> None:
        group = require_process_group(group)
        self.rank = dist.get_rank()
        self.ranks: list[int] = dist.get_process_group_ranks(group)
        self._counts: Counter[str] = Counter()
        self._last_exchanges: dict[str, Meeting] = {}
        prefix = _make_prefix(self.ranks)
        self._mailbox = Mailbox(get_group_store(), prefix)
        identity = Identity.of_this_process()
        self._mailbox.post(f"identity/{self.rank}", identity.to_word())
        self._attendance = Attendance(identity)
        self._presence = Presence(
            Mailbox(get_group_store(), prefix),
            self._attendance,
            rank=self.rank,
            ranks=self.ranks,
            is_wanted=_make_existence_test(group),
        )
        self._presence.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close(error)

    def close(self, failure: BaseException | None = None) -> None:
        """Leave, so that whoever still waits is told at once, and told the error that was it."""
        self._presence.close(failure)

    def barrier(self, place: str = "barrier", *, timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        """Wait until every rank is here.

        Args:
            place: What this barrier is called in errors; the same on every rank.
            timeout_s: How long to wait for ranks that live.

        Raises:
            RanksMissingError: A rank is dead, failed or gone, or silent past the limit.
            RanksDisagreeError: A rank is at another place.
        """
        self.exchange(None, place, timeout_s=timeout_s)

    def exchange(
        self,
        word: Any,
        place: str = "exchange",
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        among: Sequence[int] | None = None,
    ) -> dict[int, Any]:
        """Tell every rank something, and be told what the others have.

        Args:
            word: Anything that JSON can hold; a few kilobytes at most.
            place: What this is called in errors; the same on every rank.
            timeout_s: How long to wait for ranks that live.
            among: The ranks that take part, this one among them; by default all. Each set of ranks
                counts its exchanges for itself.

        Returns:
            What each rank said, by rank.

        Raises:
            RanksMissingError: A rank is dead, failed or gone, or silent past the limit.
            RanksDisagreeError: A rank is at another place.
        """
        ranks = self.ranks if among is None else sorted(among)
        within = "meeting" if among is None else f"meeting of {ranks}"
        meeting = self.open_meeting(place, timeout_s=timeout_s, within=within)
        self.post(meeting, "word", {"place": place, "word": word})
        said = self.wait_for(meeting, "word", ranks)
        self._forget(self._last_exchanges.get(within))
        self._last_exchanges[within] = meeting
        self.settle(meeting, ranks)
        places = {rank: repr(each["place"]) for rank, each in said.items()}
        if len(set(places.values())) > 1:
            raise RanksDisagreeError(place, "where they are", places)
        return {rank: each["word"] for rank, each in said.items()}

    def open_meeting(self, place: str, *, timeout_s: float, within: str = "meeting") -> Meeting:
        """Give the next meeting of its kind, which is the same one on every rank."""
        self._counts[within] += 1
        return Meeting(f"{within}/{self._counts[within]}", place, timeout_s)

    def post(self, meeting: Meeting, topic: str, word: Any) -> None:
        """Say something on a topic, without waiting."""
        try:
            self._mailbox.post(meeting.address(topic, self.rank), word)
        except StoreLostError:
            raise self._explain_lost_store(meeting, 0.0) from None

    def wait_for(self, meeting: Meeting, topic: str, ranks: Iterable[int]) -> dict[int, Any]:
        """Wait for what these ranks say on a topic, and give it by rank.

        Raises:
            RanksMissingError: One of them is dead, failed or gone, or silent past the limit.
        """
        waiting = Waiting(meeting, topic, ranks, mailbox=self._mailbox, attendance=self._attendance)
        try:
            return waiting.wait()
        except StoreLostError:
            raise self._explain_lost_store(meeting, waiting.patience.waited_s) from None

    def settle(self, meeting: Meeting, ranks: Iterable[int]) -> None:
        """Keep rank 0, whose process mostly holds the store, until the others have read."""
        keys = {rank: meeting.address("seen", rank) for rank in ranks}
        try:
            self._mailbox.post(keys[self.rank], word=True)
            if self.rank == 0:
                linger(self._mailbox, self._attendance, keys)
        except StoreLostError:
            return  # all was read here; the next meeting will say who is gone

    def find_gone(self, wait_s: float) -> list[Absence]:
        """Give the ranks that are dead, failed or gone, after `wait_s` at most for the news."""
        others = [rank for rank in self.ranks if rank != self.rank]
        patience = Patience(wait_s)
        while True:
            try:
                gone = self._attendance.find_gone(self._mailbox, others)
            except StoreLostError:
                gone = self._attendance.find_known_gone(others)
            if gone or patience.is_over:
                return gone
            patience.pause()

    def _forget(self, meeting: Meeting | None) -> None:
        """Take away what this rank said before: who is in the next exchange has read it."""
        if meeting is None:
            return
        try:
            for topic in ("word", "seen"):
                self._mailbox.remove(meeting.address(topic, self.rank))
        except StoreLostError:
            return  # nobody is left to read it

    def _explain_lost_store(self, meeting: Meeting, waited_s: float) -> RanksMissingError:
        return RanksMissingError(meeting.place, waited_s, self.find_gone(_STORE_LOST_S))


def _make_prefix(ranks: list[int]) -> str:
    """Give the keys of the next roll call of these ranks a name of their own."""
    name = hashlib.sha256(repr(ranks).encode()).hexdigest()[:12]
    _num_made[name] += 1
    return f"tdebug/{name}/{_num_made[name]}"


def _make_existence_test(group: dist.ProcessGroup) -> Callable[[], bool]:
    """Tell whether the group still exists, without keeping it in existence."""
    reference = weakref.ref(group)
    return lambda: reference() is not None
