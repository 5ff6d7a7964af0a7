"""Wait for what other ranks say, and find out why one does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .absence import Absence
from .errors import RanksMissingError
from .patience import Patience

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .attendance import Attendance
    from .mailbox import Mailbox
    from .meeting import Meeting


class Waiting:
    """One rank's wait in a meeting for what others say on a topic.

    Args:
        meeting: The meeting.
        topic: What they are to say something on.
        ranks: Who is waited for.
        mailbox: Where it will be.
        attendance: Tells who will not come.
    """

    def __init__(
        self,
        meeting: Meeting,
        topic: str,
        ranks: Iterable[int],
        *,
        mailbox: Mailbox,
        attendance: Attendance,
    ) -> None:
        self._meeting = meeting
        self._keys = {rank: meeting.address(topic, rank) for rank in ranks}
        self._mailbox = mailbox
        self._attendance = attendance
        self.patience = Patience(meeting.timeout_s)

    def wait(self) -> dict[int, Any]:
        """Give what each rank has said, when all have.

        Raises:
            RanksMissingError: One is dead, failed or gone, or silent past the time limit.
            StoreLostError: The store does not answer.
        """
        while not self._mailbox.has_all(self._keys.values()):
            if self.patience.is_time_to_look():
                self._look()
            self.patience.pause()
        self._join_giving_up()
        self._attendance.learn(self._mailbox, self._keys)
        return {rank: self._mailbox.read(key) for rank, key in self._keys.items()}

    def _look(self) -> None:
        self._join_giving_up()
        missing = [rank for rank in self._keys if not self._has_come(rank)]
        gone = self._attendance.find_gone(self._mailbox, missing)
        # A rank may have come and left again since it was found missing.
        self._give_up([absence for absence in gone if not self._has_come(absence.rank)])
        if self.patience.is_almost_over:
            for rank in missing:
                self._mailbox.post(f"ask/{rank}", self._meeting.key)
        if self.patience.is_over:
            self._give_up([self._describe_silent(rank) for rank in missing])

    def _has_come(self, rank: int) -> bool:
        return self._mailbox.has_all([self._keys[rank]])

    def _describe_silent(self, rank: int) -> Absence:
        stack = self._mailbox.read(f"stack/{rank}/{self._meeting.key}") or ""
        return self._attendance.describe_silent(rank, stack)

    def _give_up(self, absences: list[Absence]) -> None:
        """Raise if there is a reason; the other ranks, also those that come later, raise too."""
        if not absences:
            return
        waited_s = self.patience.waited_s
        word = {"waited_s": waited_s, "absences": [absence.to_word() for absence in absences]}
        self._mailbox.post(f"given_up/{self._meeting.key}", word)
        raise RanksMissingError(self._meeting.place, waited_s, absences)

    def _join_giving_up(self) -> None:
        if word := self._mailbox.read(f"given_up/{self._meeting.key}"):
            absences = [Absence.from_word(each) for each in word["absences"]]
            raise RanksMissingError(self._meeting.place, word["waited_s"], absences)
