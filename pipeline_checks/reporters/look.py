"""How text is to look: what a reporter must know of the place it is written to."""

from __future__ import annotations

from dataclasses import dataclass

from ..report import Severity


@dataclass(frozen=True)
class Look:
    """How text is to look.

    Attributes:
        width: Columns; lines are wrapped there.
        color: Whether escape codes for colours are written.
        ascii_only: True where the output cannot encode more than ASCII.
        fail_on: The least severity that counts as a failure, for formats that know only that.
    """

    width: int = 100
    color: bool = False
    ascii_only: bool = False
    fail_on: Severity = Severity.ERROR
