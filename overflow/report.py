"""What the detector found, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .batches import Batch
    from .frames import Frame, Row
    from .origin import Origin

Stage = Literal["forward", "gradients", "weights after the step"]


@dataclass(frozen=True)
class OverflowReport:
    """One detection.

    Attributes:
        batch: The batch in which it was found.
        stage: Whether it was found in a forward, in the gradients or in the weights after a step.
        frames: The last frames, the one with nan or inf at the end; for gradients and weights one
            frame for each module with a bad one.
        origin: The operator where it began, None where that could not be found out.
        is_reproduced: Whether running the batch again showed the same; if not, `frames` holds only
            what was first seen.
        note: What is to be known about the report, empty if nothing.
        rank: Rank of the process in a distributed run, None in a single process.
    """

    batch: Batch
    stage: Stage
    frames: tuple[Frame, ...]
    origin: Origin | None = None
    is_reproduced: bool = True
    note: str = ""
    rank: int | None = None

    @property
    def batch_number(self) -> int | None:
        """Number of the batch, None for a forward that counts as none."""
        return self.batch.number

    @property
    def batch_text(self) -> str:
        """How the batch is named, e.g. `batch_number=3`."""
        return self.batch.text

    @property
    def bad_rows(self) -> tuple[Row, ...]:
        """The rows that hold nan or inf, of the frame in which they were found."""
        return self.frames[-1].bad_rows if self.frames else ()

    @property
    def where(self) -> str:
        """The first bad value and its module, e.g. `output of 'encoder.dropout' (Dropout)`."""
        if not self.frames:
            return "a module that could not be named"
        frame = self.frames[0] if self.stage != "forward" else self.frames[-1]
        name = f"'{frame.module}'" if frame.module else "the model"
        what = ", ".join(row.context for row in frame.bad_rows[:3]) or "a value"
        return f"{what} of {name} ({frame.module_class})"
