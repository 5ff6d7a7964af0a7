"""The parent's side of a watched training: listen, hand on frames, tell what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..events import Death, Observed
from ..facts.watching import FramesSeen, WatchFacts
from ..walk import Walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..events import Event
    from ..report import Report

EXIT_FOUND = 1
FAILED = ("failure", "left")  # the latter where nobody tells why the other ranks ended


@dataclass(frozen=True)
class WatchOutcome:
    """What came of a watched training.

    Attributes:
        facts: What was seen; empty if it did not begin.
        report: What the checks say where it did not load, raised or died.
        has_failed: Whether it did.
    """

    facts: WatchFacts
    report: Report
    has_failed: bool

    @property
    def is_interrupted(self) -> bool:
        """Whether the user stopped it."""
        return self.report.interrupted

    @property
    def exit_code(self) -> int:
        """0 nothing found, 1 nan or inf or a failure, 2 tdebug failed, 130 interrupted."""
        if self.is_interrupted:
            return self.report.exit_code()
        if self.has_failed:
            return self.report.exit_code() or EXIT_FOUND
        return EXIT_FOUND if self.facts.detection is not None else 0


def watch_training(
    target: str,
    events: Iterator[Event],
    watch: Callable[[Event], None] | None = None,
    on_frames: Callable[[FramesSeen], None] | None = None,
) -> WatchOutcome:
    """Take what a watched training tells, until it is over, dead or interrupted.

    Args:
        target: What is trained, as the user wrote it.
        events: `worker.run_in_worker` with the source `options.WATCH_SOURCE`; closed at the end.
        watch: Called with every event, for progress.
        on_frames: Called with the frames of each traced batch as they come.

    Raises:
        SpecMistakesError: The spec names things that are not there.
    """
    state = Walk(target)
    is_interrupted = False
    try:
        for event in events:
            if watch is not None:
                watch(event)
            if isinstance(event, Observed) and isinstance(event.fact, FramesSeen):
                if on_frames is not None:
                    on_frames(event.fact)
                continue
            # What a check says of the parts does not stop a training that can be tried.
            state.take(event)
    except KeyboardInterrupt:
        is_interrupted = True
    finally:
        close = getattr(events, "close", None)
        if close is not None:
            close()
    facts = state.facts.get(WatchFacts)
    has_failed = facts is None or facts.ended_by in FAILED or Death in state.facts
    report = state.report(interrupted=is_interrupted)
    return WatchOutcome(facts or WatchFacts(), report, has_failed and not is_interrupted)
