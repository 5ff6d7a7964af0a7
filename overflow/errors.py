"""What the detector raises.

    ValueError
    ├── OverflowDetectedError   a nan or inf was found; carries the report
    └── BatchLimitReachedError  `abort_after_batch_num` was reached

Both derive from ValueError, as that is what transformers' class raises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .report import OverflowReport


class OverflowDetectedError(ValueError):
    """A weight, buffer, input, output or gradient holds nan or inf.

    Attributes:
        report: What was found, as data.
    """

    def __init__(self, report: OverflowReport) -> None:
        self.report = report
        super().__init__(
            f"DebugUnderflowOverflow: inf/nan detected in {report.where} during "
            f"{report.batch_text}; going on would only spread it. The frames that led there are "
            "printed above."
        )

    def __reduce__(self) -> tuple[type[OverflowDetectedError], tuple[OverflowReport]]:
        return type(self), (self.report,)


class BatchLimitReachedError(ValueError):
    """The last batch that `abort_after_batch_num` allows is done.

    Attributes:
        batch_number: Number of that batch, counted from 0.
    """

    def __init__(self, batch_number: int, limit: int) -> None:
        self.batch_number = batch_number
        self.limit = limit
        super().__init__(
            f"DebugUnderflowOverflow: stopped after batch {batch_number}, "
            f"as abort_after_batch_num={limit} asks."
        )

    def __reduce__(self) -> tuple[type[BatchLimitReachedError], tuple[int, int]]:
        return type(self), (self.batch_number, self.limit)
