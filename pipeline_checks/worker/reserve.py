"""Memory held back, so that a worker whose memory is used up can still say so."""

from __future__ import annotations

RESERVE_BYTES = 8 * 2**20  # a fact or two with room to spare; untouched pages cost no real memory

_held: list[bytearray] = []


def hold_reserve() -> None:
    """Hold the reserve; called once, before any of the user's code."""
    if not _held:
        _held.append(bytearray(RESERVE_BYTES))


def release_reserve() -> bool:
    """Let it go after a MemoryError; True if there was one.

    Whoever catches a MemoryError of the user's code calls this before it writes down what it saw.
    """
    if not _held:
        return False
    _held.clear()
    return True
