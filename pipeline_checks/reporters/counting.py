"""Numbers with their nouns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report import Severity

if TYPE_CHECKING:
    from ..report import Report


def counted(number: int, noun: str) -> str:
    """The number with its noun.

    >>> counted(1, "warning"), counted(2, "warning"), counted(3, "batch")
    ('1 warning', '2 warnings', '3 batches')
    """
    ending = "es" if noun.endswith("ch") else "s"
    return f"{number} {noun}" if number == 1 else f"{number} {noun}{ending}"


def counts_of(report: Report) -> str:
    """The findings by severity, worst first; those that are not there are left out."""
    counts = [(report.count(severity), severity.value) for severity in reversed(Severity)]
    return ", ".join(
        f"{number} info" if noun == "info" else counted(number, noun)
        for number, noun in counts
        if number
    )


def verdict_of(report: Report) -> str:
    """The counts, or that there is no problem; and that the report is not complete."""
    if report.is_complete:
        return counts_of(report) or "no problem found"
    return f"{counts_of(report) or 'nothing found'}, but the report is not complete"
