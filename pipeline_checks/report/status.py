"""What became of a stage or of a check."""

from enum import Enum


class Status(str, Enum):
    """What became of a stage or of a check.

    `SKIPPED` always comes with a reason; `ERRORED` means that tdebug itself failed there.
    """

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    ERRORED = "errored"

    def __str__(self) -> str:
        return self.value
