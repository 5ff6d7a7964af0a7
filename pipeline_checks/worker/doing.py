"""What the worker is doing inside one step, for the report of its death.

`Progress` events are for steps that a stage can name before it takes them. Inside a step (module
after module of one forward) no event can be yielded; a note costs a microsecond and survives
SIGKILL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .recorder import Recorder

_recorders: list[Recorder] = []


def note_doing(text: str) -> None:
    """Note what is being done (`layers.1.wo`), until the next note or event.

    Does nothing outside a worker.
    """
    for recorder in _recorders:
        recorder.note(text)


def take_notes_in(recorder: Recorder) -> None:
    """Where the notes go from now on."""
    _recorders[:] = [recorder]
