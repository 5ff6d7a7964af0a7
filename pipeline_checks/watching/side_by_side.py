"""The parent's side of a comparison of two traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..events import Death, Observed
from ..facts.watching import DiffFacts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..events import Event


def compare_traces(events: Iterator[Event]) -> DiffFacts:
    """What a comparison told.

    Args:
        events: `worker.run_in_worker` with the source `options.DIFF_SOURCE`.
    """
    for event in events:
        if isinstance(event, Observed) and isinstance(event.fact, DiffFacts):
            return event.fact
        if isinstance(event, Death):
            return DiffFacts(mistake=f"the comparison ended early: {event.name}.")
    return DiffFacts(mistake="the comparison told nothing.")
