"""What `tdebug checks` shows: a line a check, by stage."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from .page import Page
from .palette import QUIET, SEVERITY_STYLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..checks import Check
    from .look import Look
    from .page import Part

INDENT = 2


def render_listing(checks: Sequence[Check], look: Look) -> str:
    """The checks with code, name, severity and what each looks for, for a terminal."""
    page = Page(look)
    name_width = max((len(check.name) for check in checks), default=0)
    for heading, group in groupby(checks, key=heading_of):
        page.gap()
        page.add((heading, "bold"))
        for check in group:
            label: list[Part] = [
                f"{check.code} {check.name:<{name_width}}  ",
                (f"{check.severity.value:<7}", SEVERITY_STYLE[check.severity]),
            ]
            hang = INDENT + len(check.code) + 1 + name_width + 2 + 7 + 2
            page.add_labelled(label, check.title, indent=INDENT, hang=hang)
    page.gap()
    page.add(("tdebug explain CODE tells more of each.", QUIET))
    return page.text()


def heading_of(check: Check) -> str:
    """The stage, but `numerics` for the checks whose stage is where it showed."""
    return "numerics" if check.code.startswith("TD6") else str(check.stage)
