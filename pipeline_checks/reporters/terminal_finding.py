"""A finding in the terminal: what, where, what next, and the user's lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .palette import QUIET, SEVERITY_STYLE
from .printable import shortened

if TYPE_CHECKING:
    from ..report import Finding, Location
    from .page import Page

INDENT, HANG = 2, 10
FIRST_FRAMES, LAST_FRAMES = 3, 7


def add_finding(page: Page, finding: Finding) -> None:
    """Add the finding as a block; `where`, `hint` and the code only where there are any."""
    style = SEVERITY_STYLE[finding.severity]
    page.add(
        (f"{finding.code} {finding.name}", style),
        "  ",
        (finding.severity.value, style),
        f"  {finding.stage}",
    )
    page.add(shortened(finding.message), indent=INDENT)
    _add_field(page, "where", finding.where)
    _add_field(page, "hint", finding.hint)
    _add_code(page, finding)


def add_info(page: Page, finding: Finding) -> None:
    """Add an info as one paragraph."""
    where = f" ({finding.where})" if finding.where else ""
    page.add_labelled(
        ("info", SEVERITY_STYLE[finding.severity]),
        f"{finding.code} {finding.name}: {shortened(finding.message)}{shortened(where)}",
        indent=INDENT,
        hang=HANG,
    )


def _add_field(page: Page, label: str, text: str) -> None:
    if text:
        page.add_labelled((label, QUIET), shortened(text), indent=INDENT, hang=HANG)


def _add_code(page: Page, finding: Finding) -> None:
    """The stack of the exception, outermost first; without one, the line it is about."""
    frames = finding.stack or ((finding.location,) if finding.location else ())
    label = "at"
    for frame in _ends(frames):
        if frame is None:
            skipped = len(frames) - FIRST_FRAMES - LAST_FRAMES
            page.add((f"... {skipped} frames more ...", QUIET), indent=HANG)
        else:
            _add_frame(page, label, frame)
        label = ""


def _ends(frames: tuple[Location, ...]) -> list[Location | None]:
    """The frames, with None for the middle of a stack that is too long to show."""
    if len(frames) <= FIRST_FRAMES + LAST_FRAMES + 1:
        return list(frames)
    return [*frames[:FIRST_FRAMES], None, *frames[-LAST_FRAMES:]]


def _add_frame(page: Page, label: str, frame: Location) -> None:
    function = f" in {frame.function}" if frame.function else ""
    place = (str(frame), (function, QUIET))
    page.add_labelled((label, QUIET), *place, indent=INDENT, hang=HANG)
    if frame.code:
        page.add(frame.code.strip(), indent=HANG + 4)
