"""Printing every frame of the batches that are traced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .classic_text import format_bad_row, format_frame
from .frames import build_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from .frames import Frame, ModuleCall
    from .printing import LinePrinter


class Tracer:
    """Prints frames as they come and keeps none.

    Args:
        printer: Where to print.
        on_frame: Called with each frame, for those who want the data.
    """

    def __init__(self, printer: LinePrinter, on_frame: Callable[[Frame], None] | None) -> None:
        self._printer = printer
        self._on_frame = on_frame
        self._last_batch: int | None = None

    def trace(self, call: ModuleCall, batch_number: int | None) -> None:
        """Measure and print one forward; the first of a batch gets the batch's heading."""
        frame = build_frame(call, batch_number, starts_batch=batch_number != self._last_batch)
        self._last_batch = batch_number
        for row in frame.bad_rows:
            self._printer.print(format_bad_row(row))
        self._printer.print(format_frame(frame))
        if self._on_frame is not None:
            self._on_frame(frame)
