"""What is known about the processes of the other ranks."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from .absence import Absence, AbsenceReason
from .identity import Identity, is_running

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .mailbox import Mailbox

BEAT_S = 1.0  # how often a rank gives a sign of life
NO_BEAT_S = 8.0  # on another machine: dead after this silence, so that it is named within 10 s


class Attendance:
    """Tell whether a rank still can arrive: from its last word, its process, its signs of life.

    On the same machine the process itself is looked up. On another only the signs of life tell,
    which a process also fails to give while native code holds the GIL for `NO_BEAT_S`.

    Args:
        identity: The process of this rank.
    """

    def __init__(self, identity: Identity) -> None:
        self._me = identity
        self._identities: dict[int, Identity] = {}
        self._farewells: dict[int, dict[str, Any]] = {}
        self._beats: dict[int, tuple[object, float]] = {}

    def learn(self, mailbox: Mailbox, ranks: Iterable[int]) -> None:
        """Read who the ranks are, and the last word of rank 0, with which the store may go."""
        for rank in ranks:
            if rank not in self._identities and (word := mailbox.read(f"identity/{rank}")):
                self._identities[rank] = Identity.from_word(word)
        self._read_farewell(mailbox, 0)

    def find_gone(self, mailbox: Mailbox, ranks: Iterable[int]) -> list[Absence]:
        """Give those of `ranks` that will never arrive."""
        ranks = list(ranks)
        self.learn(mailbox, ranks)
        for rank in ranks:
            self._read_farewell(mailbox, rank)
            self._note_beat(mailbox, rank)
        return self.find_known_gone(ranks)

    def find_known_gone(self, ranks: Iterable[int]) -> list[Absence]:
        """Give those of `ranks` that are gone by what can be known without the store."""
        absences = (self._as_left(rank) or self._as_dead(rank) for rank in ranks)
        return [absence for absence in absences if absence]

    def describe_silent(self, rank: int, stack: str) -> Absence:
        """Say where a rank is that can still arrive and does not."""
        identity = self._identities.get(rank)
        if identity is None:
            detail = "it never took part in this roll call, so nothing is known of its process"
        elif stack:
            detail = f"{identity} runs, and is here:"
        else:
            detail = f"{identity} is there and does not answer (stopped, or in native code)"
        return Absence(rank, AbsenceReason.SILENT, detail, stack)

    def _read_farewell(self, mailbox: Mailbox, rank: int) -> None:
        if rank not in self._farewells and (word := mailbox.read(f"farewell/{rank}")):
            self._farewells[rank] = word

    def _note_beat(self, mailbox: Mailbox, rank: int) -> None:
        beat, now = mailbox.read(f"beat/{rank}"), time.monotonic()
        if rank not in self._beats or self._beats[rank][0] != beat:
            self._beats[rank] = beat, now

    def _as_left(self, rank: int) -> Absence | None:
        word = self._farewells.get(rank)
        return Absence(rank, AbsenceReason(word["reason"]), word["detail"]) if word else None

    def _as_dead(self, rank: int) -> Absence | None:
        identity = self._identities.get(rank)
        if identity is None:
            return None
        if identity.is_on_machine_of(self._me) and sys.platform != "win32":
            detail = f"{identity} ended without a word (killed, or os._exit)"
            return None if is_running(identity.pid) else Absence(rank, AbsenceReason.DEAD, detail)
        silence_s = time.monotonic() - self._beats.get(rank, (None, time.monotonic()))[1]
        detail = f"{identity} has given no sign of life for {silence_s:.0f} s"
        return None if silence_s < NO_BEAT_S else Absence(rank, AbsenceReason.DEAD, detail)
