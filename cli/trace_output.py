"""Where traced batches go: a file of JSON lines as they come, and standard output at the end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..pipeline_checks.reporters.overflow import render_overflow_text
from ..pipeline_checks.reporters.trace import (
    JSONL_HEADER,
    TraceTally,
    render_trace_batch,
    render_trace_end,
)
from .errors import OptionError

if TYPE_CHECKING:
    from typing import TextIO

    from typing_extensions import Self

    from ..pipeline_checks.facts.watching import FramesSeen
    from ..pipeline_checks.reporters.look import Look
    from ..pipeline_checks.watching.options import WatchOptions
    from ..pipeline_checks.watching.watch import WatchOutcome


class TraceOutput:
    """Takes the frames of each traced batch; a context manager that closes the file.

    Args:
        format_name: Of standard output: `table`, `text` or `jsonl`.
        look: Of standard output.
        top: How many values a table shows, None for all outputs.
        file: Where all frames go as JSON lines, None for nowhere.

    Raises:
        OptionError: The file cannot be written.
    """

    def __init__(self, format_name: str, look: Look, *, top: int | None, file: str | None) -> None:
        self._format, self._look, self._top = format_name, look, top
        self._file = None if file is None else _open(file)
        self._texts: list[str] = []
        self._tally = TraceTally()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def take(self, seen: FramesSeen) -> None:
        """Write one batch."""
        self._tally.take(seen)
        if self._file is not None:
            self._file.writelines(f"{frame.line}\n" for frame in seen.frames)
            self._file.flush()
        if self._format == "table":
            self._texts.append(render_trace_batch(seen, self._look, top=self._top))
        elif self._format == "text":
            self._texts.append("\n".join(frame.text for frame in seen.frames) + "\n")
        else:
            self._texts.append("".join(f"{frame.line}\n" for frame in seen.frames))

    def text(self, outcome: WatchOutcome, options: WatchOptions) -> str:
        """What standard output gets.

        Args:
            outcome: What came of the training.
            options: What was to be traced.
        """
        traced = "".join(self._texts)
        if self._format == "jsonl":
            return f"{JSONL_HEADER}\n{traced}"
        if self._format == "text" and outcome.facts.detection is not None:
            return traced + render_overflow_text(outcome, self._look)
        return traced + render_trace_end(outcome, options, self._tally, self._look)


def _open(name: str) -> TextIO:
    try:
        file = Path(name).open("w", encoding="utf-8")  # noqa: SIM115 - `TraceOutput` closes it
    except OSError as error:
        message = f"{name!r} cannot be written: {error.strerror}."
        raise OptionError("--output", message) from error
    file.write(f"{JSONL_HEADER}\n")
    return file
