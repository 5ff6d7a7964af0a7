"""Where a spec comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from .lines import Lines


@dataclass(frozen=True)
class Origin:
    """Where a spec comes from, and what of it the user wrote.

    Attributes:
        file: The file as the user named it.
        folder: What files named in the spec are relative to, absolute.
        lines: The line of each key.
        given: The keys that the user wrote, those of sections with a dot: `loader.batch_size`.
    """

    file: str = ""
    folder: Path = field(default_factory=Path)
    lines: Lines = field(default_factory=Lines)
    given: frozenset[str] = frozenset()
