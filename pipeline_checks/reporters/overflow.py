"""The report of `tdebug overflow`: the story of the first nan or inf, then its frames."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..checks.rank_words import rank_list
from .counting import counted
from .frame_list import add_frames
from .look import Look
from .overflow_ranks import add_ranks, ranks_text
from .overflow_story import add_story, bad_kinds, headline
from .page import Page
from .palette import BAD, CRASHED, QUIET
from .plain_data import plain_data, tool_version
from .terminal import render_terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..facts.watching import DetectionFact, FrameFact, WatchFacts
    from ..watching.watch import WatchOutcome
    from .page import Part

SCHEMA_VERSION = 1
NUM_FORECASTS = 5
MOST_MODULES = 21


def render_overflow(outcome: WatchOutcome, look: Look | None = None) -> str:
    """The report for people at a terminal."""
    look = look or Look()
    if outcome.has_failed:
        return render_terminal(outcome.report, look)
    page = Page(look)
    detection = outcome.facts.detection
    if detection is not None:
        add_story(page, outcome.facts, detection)
        add_ranks(page, outcome.facts, headline)
        _add_frames(page, detection)
    add_forecasts(page, outcome.facts)
    page.gap()
    for note in outcome.report.notes:
        page.add_labelled(("note", QUIET), note, indent=2, hang=10)
    add_watched_line(page, outcome)
    return page.text()


def render_overflow_text(outcome: WatchOutcome, look: Look | None = None) -> str:
    """The classic text, as `DebugUnderflowOverflow` prints it; without a detection the report."""
    detection = outcome.facts.detection
    if detection is None or outcome.has_failed:
        return render_overflow(outcome, look)
    return detection.classic


def render_overflow_json(outcome: WatchOutcome) -> str:
    """The report as JSON.

    `schema_version`, `tool`, `target`, `complete`, `interrupted`, `seconds`, `exit_code`; `watch`:
    what was seen, with the fields of `WatchFacts`, for several ranks those of the one that went bad
    first, and all of them under `ranks`; `findings`: as in the report of a check, where
    the pipeline did not load, raised or died; `notes`.
    """
    report = outcome.report
    body = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "tdebug", "version": tool_version()},
        "target": report.target,
        "complete": report.is_complete and not outcome.has_failed,
        "interrupted": report.interrupted,
        "seconds": round(report.seconds, 3),
        "exit_code": outcome.exit_code,
        "watch": outcome.facts,
        "findings": report.findings if outcome.has_failed else [],
        "notes": report.notes,
    }
    return json.dumps(plain_data(body), indent=2, allow_nan=False) + "\n"


def _add_frames(page: Page, detection: DetectionFact) -> None:
    frames = detection.frames
    if not frames:
        return
    page.gap()
    if detection.stage == "forward":
        page.add((f"the last {counted(len(frames), 'frame')}, the bad one at the end", QUIET))
    else:
        page.add((f"{counted(len(frames), 'module')} concerned", QUIET))
    add_frames(page, _shown(detection))
    if len(_shown(detection)) < len(frames):
        page.add((f"... and {len(frames) - MOST_MODULES} modules more", QUIET), indent=2)


def _shown(detection: DetectionFact) -> tuple[FrameFact, ...]:
    is_forward = detection.stage == "forward"
    return detection.frames if is_forward else detection.frames[:MOST_MODULES]


def add_forecasts(page: Page, facts: WatchFacts) -> None:
    """Add what float16 would not hold, or hardly, the worst few."""
    if not facts.forecasts:
        return
    page.gap()
    values = counted(facts.num_forecasts, "value")
    page.add(f"beyond the range of float16, or near an end of it: {values} of this run")
    for said in facts.forecasts[:NUM_FORECASTS]:
        page.add(said, indent=2)
    more = facts.num_forecasts - NUM_FORECASTS
    if more > 0:
        page.add((f"... and {more} more", QUIET), indent=2)


def add_watched_line(page: Page, outcome: WatchOutcome, bad: str = "") -> None:
    """Add the last line: what was found, and how much was watched.

    Args:
        page: Where to.
        outcome: What came of the training.
        bad: What else was not finite.
    """
    report, facts = outcome.report, outcome.facts
    verdict = (f"{bad}: {_watched(facts)}", BAD) if bad else _verdict(facts)
    parts: list[Part] = [(f"{report.target}: ", "bold"), verdict]
    for more in _circumstances(facts):
        parts += [(page.symbols.dot, QUIET), (more, QUIET)]
    if outcome.is_interrupted:
        parts += [(page.symbols.dot, QUIET), ("interrupted", CRASHED)]
    parts += [(page.symbols.dot, QUIET), (f"{report.seconds:.1f} s", QUIET)]
    page.add(*parts)


def _verdict(facts: WatchFacts) -> Part:
    if facts.detection is not None:
        batch = facts.detection.batch
        where = "" if batch is None else f" in batch {batch}"
        if facts.first_ranks:
            where += f" on {rank_list(facts.first_ranks)}"
        return (f"{bad_kinds(facts.detection)}{where}", BAD)
    if not facts.num_batches:
        return ("no batch was trained on", CRASHED)
    return (f"no nan or inf: {_watched(facts)}", "bold green")


def _watched(facts: WatchFacts) -> str:
    ranks = f"on each of {ranks_text(facts)} " if facts.ranks else ""
    return (
        f"{counted(facts.num_batches, 'batch')} and {counted(facts.num_steps, 'step')} {ranks}"
        f"watched in {counted(facts.num_modules, 'module')}"
    )


def _circumstances(facts: WatchFacts) -> list[str]:
    told = []
    if facts.detection is not None:
        told.append(f"{counted(facts.num_steps, 'step')} taken before")
    if facts.num_skipped:
        none = " and none taken" if not facts.num_steps else ""
        told.append(f"{counted(facts.num_skipped, 'step')} skipped by the GradScaler{none}")
    if facts.detection is not None and facts.ranks:
        told.append(ranks_text(facts))
    told.append(f"{facts.precision} on {facts.device}")
    return told


def _as_json(outcome: WatchOutcome, _look: Look) -> str:
    return render_overflow_json(outcome)


FORMATS: dict[str, Callable[[WatchOutcome, Look], str]] = {
    "terminal": render_overflow,
    "text": render_overflow_text,
    "json": _as_json,
}
