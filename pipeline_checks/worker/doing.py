"""What the worker is doing inside one step, for the report of its death.

`Progress` events are for steps that a stage can name before it takes them. Inside a step (module
after module of one forward) no event can be yielded; a note costs a microsecond and survives
SIGKILL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..report import Stage
    from .recorder import Recorder

_recorders: list[Recorder] = []


def note_doing(text: str, stage: Stage | None = None) -> None:
    """Note what is being done, until the next note or event.

    Does nothing outside a worker.

    Args:
        text: In the user's words: `layers.1.wo`.
        stage: Where a stage begins inside a step, as backward does in a loop over batches. It
            holds until the next event.
    """
    for recorder in _recorders:
        recorder.note(text, stage.value if stage is not None else "")


def take_notes_in(recorder: Recorder) -> None:
    """Where the notes go from now on."""
    _recorders[:] = [recorder]
