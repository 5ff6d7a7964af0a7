"""The story of a nan or inf: what is bad, where it began, why, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..checks.origins import became_text, operator_text, origin_hint, value_text
from ..report import Stage
from .frame_list import first_near_limit
from .measures import magnitude, percent
from .overflow_ranks import who_was_first
from .palette import BAD, QUIET
from .printable import shortened

if TYPE_CHECKING:
    from ..facts.numerics import OriginFact
    from ..facts.watching import DetectionFact, WatchFacts
    from .page import Page

INDENT, HANG = 2, 10
NUM_LOSSES = 6


def bad_kinds(detection: DetectionFact) -> str:
    """What was found: `nan`, `inf`, `nan and inf`, `-inf`."""
    if detection.stage == "loss":
        return detection.where.rpartition(" ")[2]
    stats = [row.stats for frame in detection.frames for row in frame.rows if row.stats is not None]
    kinds = [
        kind
        for kind, is_there in (
            ("nan", any(one.nan_count for one in stats)),
            ("inf", any(one.inf_count for one in stats)),
        )
        if is_there
    ]
    if not kinds and detection.origin is not None:
        return detection.origin.kind
    return " and ".join(kinds) or "nan or inf"


def add_story(page: Page, facts: WatchFacts, detection: DetectionFact) -> None:
    """Add what is to be read first."""
    said, first = headline(detection), who_was_first(facts)
    if not first and detection.stage == "loss":
        said = f"{said[:1].upper()}{said[1:]}"
    page.add((f"{first}: {said}" if first else said, BAD))
    origin = detection.origin
    if origin is not None:
        _add_origin(page, origin)
    elif detection.origin_text:
        _add_field(page, "began", detection.origin_text)
    else:
        _add_field(page, "began", "the operator could not be told.")
    if detection.stage == "forward":
        _add_field(page, "before", _near_text(detection))
    _add_field(page, "note", detection.note)
    _add_field(page, "losses", losses_text(facts))


def headline(detection: DetectionFact) -> str:
    """What was found, and where, in one line."""
    batch = "a forward outside any batch"
    if detection.batch is not None:
        batch = f"batch {detection.batch}"
    kinds = bad_kinds(detection)
    if detection.stage == "loss":
        return detection.where
    if detection.stage == "forward":
        return f"{kinds} in the {detection.where}, in the forward of {batch}"
    return f"{kinds} in the {detection.stage} of {batch}: {detection.where}"


def _add_origin(page: Page, origin: OriginFact) -> None:
    side = "the backward of " if origin.stage is Stage.BACKWARD else ""
    dtype = f" ({origin.dtype})" if origin.dtype else ""
    _add_field(page, "began", f"{side}{operator_text(origin)} gives {origin.kind}{dtype}")
    _add_field(page, "why", value_text(origin))
    _add_field(page, "then", became_text(origin).removeprefix("; "))
    if origin.rows:
        rows = ", ".join(map(str, origin.rows[:10]))
        _add_field(page, "rows", f"{rows} of the batch, counted from 0{_samples(origin)}")
    if origin.location is not None:
        function = f" in {origin.location.function}" if origin.location.function else ""
        page.add_labelled(
            ("at", QUIET), str(origin.location), (function, QUIET), indent=INDENT, hang=HANG
        )
        if origin.location.code:
            page.add(origin.location.code.strip(), indent=HANG + 4)
    if origin.source != "outside":
        _add_field(page, "hint", origin_hint(origin))


def _samples(origin: OriginFact) -> str:
    if not origin.indices:
        return ""
    plural = "s" if len(origin.indices) > 1 else ""
    return f": sample{plural} {', '.join(map(str, origin.indices[:10]))} of the dataset"


def _near_text(detection: DetectionFact) -> str:
    found = first_near_limit(detection.frames)
    if found is None:
        return ""
    frame, stats = found
    return (
        f"{frame.module or 'the model'} ({frame.module_class}) gave {magnitude(stats.abs_max)}, "
        f"{percent(stats.share_of_limit)} of the largest {stats.dtype}"
    )


def losses_text(facts: WatchFacts) -> str:
    """The last losses, "" without any."""
    if not facts.losses:
        return ""
    shown = facts.losses[-NUM_LOSSES:]
    first, last = shown[0][0], shown[-1][0]
    batches = f"batch {first}" if first == last else f"batches {first} to {last}"
    return f"{', '.join(f'{value:.4g}' for _, value in shown)} ({batches})"


def _add_field(page: Page, label: str, text: str) -> None:
    if text:
        page.add_labelled((label, QUIET), shortened(text), indent=INDENT, hang=HANG)
