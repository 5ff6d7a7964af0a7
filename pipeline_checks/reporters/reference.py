"""The reference page of the checks, as Markdown: what `tdebug checks --markdown` writes."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from .documentation import read_documentation
from .listing import heading_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..checks import Check

# The cases are in the repository, not in the installed package.
CASES = Path(__file__).resolve().parents[2] / "tests" / "cases"
HEAD = """\
# Checks

What `tdebug check` looks for, stage by stage. This page is generated from the checks themselves:
`tdebug checks --markdown > CHECKS.md`. The examples are the cases that the tests run.
"""


def render_reference(checks: Sequence[Check], cases: Path = CASES) -> str:
    """The page.

    Args:
        checks: In the order of their codes.
        cases: The folder with `<name>/bad.py` and `<name>/good.py`; examples are left out where
            there are none.
    """
    lines = [HEAD, "| code | name | severity | |", "|-|-|-|-|", *map(_row, checks), ""]
    for heading, group in groupby(checks, key=heading_of):
        lines += [f"## {heading}", ""]
        for check in group:
            lines += [*_entry(check), *_examples(check, cases)]
    return "\n".join(lines).rstrip() + "\n"


def _row(check: Check) -> str:
    title = check.title.replace("|", "\\|")
    link = f"[{check.code}](#{_anchor(check)})"
    return f"| {link} | {check.name} | {check.severity} | {title} |"


def _anchor(check: Check) -> str:
    return f"{check.code.lower()}-{check.name}"


def _entry(check: Check) -> Iterator[str]:
    documentation = read_documentation(check)
    yield from (f"### {check.code} {check.name}", "")
    yield from (f"*{check.severity}, {check.stage}*", "", documentation.title, "")
    for text in documentation.details:
        yield from (text, "")
    for heading, texts in documentation.sections:
        yield from (f"**{heading}:** {texts[0]}", "")
        for text in texts[1:]:
            yield from (text, "")


def _examples(check: Check, cases: Path) -> Iterator[str]:
    folder = cases / check.name.replace("-", "_")
    for kind, told in (("bad", "This is found:"), ("good", "This is not:")):
        file = folder / f"{kind}.py"
        if file.is_file():
            source = file.read_text(encoding="utf-8").strip()
            yield from (told, "", "```python", source, "```", "")
