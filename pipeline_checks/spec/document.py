"""What a file says before anyone asks whether it makes sense."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .lines import Lines
    from .mistakes import Mistake


@dataclass(frozen=True)
class Document:
    """The plain data of a file with its lines.

    Attributes:
        file: The file as the user named it.
        data: Strings, numbers, booleans, None, lists and mappings.
        lines: The line of each key.
        mistakes: What was wrong with single values; they are left out of `data`.
    """

    file: str
    data: dict[Any, Any]
    lines: Lines
    mistakes: tuple[Mistake, ...] = ()
