"""A finding as a few lines of plain text, for formats that hold a block of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .printable import printable, shortened

if TYPE_CHECKING:
    from ..report import Finding, Location


def plain_finding(finding: Finding) -> str:
    """The finding with where, hint and the user's frames, safe to show."""
    lines = [finding.message]
    lines += [f"where: {finding.where}"] if finding.where else []
    lines += [f"hint: {finding.hint}"] if finding.hint else []
    frames = finding.stack or ((finding.location,) if finding.location else ())
    lines += [_frame_line(frame) for frame in frames[-10:]]
    return "\n".join(printable(shortened(line)) for line in lines)


def _frame_line(frame: Location) -> str:
    function = f" in {frame.function}" if frame.function else ""
    code = f": {frame.code.strip()}" if frame.code else ""
    return f"at {frame}{function}{code}"
