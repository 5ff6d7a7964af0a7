"""What a shape rule found: said, remedied, and measured."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Mismatch:
    """Two shapes that do not fit.

    Attributes:
        message: What met what, with the sizes.
        hint: What to do.
        values: The sizes.
    """

    message: str
    hint: str
    values: dict[str, Any] = field(default_factory=dict)
