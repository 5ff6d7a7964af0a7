"""Which line of a file each key stands on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

# From the top of the file: keys of mappings, and places in lists counted from 0.
KeyPath: TypeAlias = tuple["str | int", ...]


@dataclass(frozen=True)
class Lines:
    """The line of each key path; a path that is not known has the line of what holds it."""

    of: dict[KeyPath, int] = field(default_factory=dict)

    def find(self, path: KeyPath) -> int | None:
        """The line of `path`, counted from 1, or None if nothing of it is known."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.of:
                return self.of[path[:length]]
        return None

    def to_json(self) -> list[Any]:
        """JSON data that `from_json` reads back."""
        return [[list(path), line] for path, line in self.of.items()]

    @classmethod
    def from_json(cls, data: list[Any]) -> Lines:
        """The lines that `to_json` wrote."""
        return cls({tuple(path): line for path, line in data})
