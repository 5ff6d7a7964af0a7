"""A place where ranks wait for each other."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_TIMEOUT_S = 300.0


@dataclass(frozen=True)
class Meeting:
    """Where ranks wait for each other, once.

    Attributes:
        key: The same on every rank, and used once.
        place: What people call it.
        timeout_s: How long a rank waits in it for ranks that live.
    """

    key: str
    place: str
    timeout_s: float = DEFAULT_TIMEOUT_S

    def address(self, topic: str, rank: int) -> str:
        """Give the key of what a rank says on a topic."""
        return f"{self.key}/{topic}/{rank}"
