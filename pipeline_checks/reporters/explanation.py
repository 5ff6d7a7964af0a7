"""What `tdebug explain` shows of a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .documentation import read_documentation
from .page import Page
from .palette import SEVERITY_STYLE

if TYPE_CHECKING:
    from ..checks import Check
    from .look import Look

INDENT = 2


def render_explanation(check: Check, look: Look) -> str:
    """The documentation of the check, for a terminal."""
    documentation = read_documentation(check)
    page = Page(look)
    style = SEVERITY_STYLE[check.severity]
    head = (f"{check.code} {check.name}", style)
    page.add(head, "  ", (check.severity.value, style), f"  {check.stage}")
    page.add(documentation.title, indent=INDENT)
    for text in documentation.details:
        _add_paragraph(page, text)
    for heading, texts in documentation.sections:
        _add_paragraph(page, texts[0], heading=f"{heading}: ")
        for text in texts[1:]:
            _add_paragraph(page, text)
    return page.text()


def _add_paragraph(page: Page, text: str, *, heading: str = "") -> None:
    page.gap()
    for item in text.split("\n"):
        if item.startswith("- "):
            page.add_labelled("-", item[2:], indent=INDENT, hang=INDENT + 2)
        else:
            page.add((heading, "bold"), item, indent=INDENT)
        heading = ""
