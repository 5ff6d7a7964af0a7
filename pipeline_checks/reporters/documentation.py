"""The documentation of a check, taken apart: its docstring is the source of all that is shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import dedent
from typing import TYPE_CHECKING

from ..checks.registry import SECTIONS

if TYPE_CHECKING:
    from ..checks import Check

_HEADING = re.compile(rf"^({'|'.join(SECTIONS)})\s*", re.MULTILINE)


@dataclass(frozen=True)
class Documentation:
    """The documentation of a check.

    Attributes:
        title: The first line: what is wrong.
        details: What stands before the first section, by paragraph.
        sections: Heading (without its colon) and paragraphs.
    """

    title: str
    details: tuple[str, ...]
    sections: tuple[tuple[str, tuple[str, ...]], ...]


def read_documentation(check: Check) -> Documentation:
    """Take the docstring of the check apart."""
    title, _, rest = check.documentation.partition("\n")
    details, *pieces = _HEADING.split(rest)
    sections = zip(pieces[::2], pieces[1::2], strict=True)
    return Documentation(
        title=title,
        details=paragraphs(details),
        sections=tuple((heading.rstrip(":"), paragraphs(text)) for heading, text in sections),
    )


def paragraphs(text: str) -> tuple[str, ...]:
    r"""The paragraphs, each as one line; items of a list and indented code keep their lines.

    >>> paragraphs("  One\n  line.\n\n  - a\n  - b\n\n      code\n")
    ('One line.', '- a\n- b', '    code')
    """
    blocks = re.split(r"\n\s*\n", dedent(text).strip("\n"))
    return tuple(_joined(block) for block in blocks if block.strip())


def _joined(block: str) -> str:
    if block.startswith(" "):
        return block.rstrip()
    return re.sub(r"\n(?!- )\s*", " ", block).strip()
