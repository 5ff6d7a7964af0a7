"""What is kept of an exception of the user's code."""

from dataclasses import dataclass
from typing import Optional

from ..report import Location


@dataclass(frozen=True)
class ExceptionFact:
    """An exception that the user's code (or a library it called) raised.

    Attributes:
        type: The class name, qualified outside builtins: `ValueError`, `torch.OutOfMemoryError`.
        text: `str(exception)`, capped.
        bases: Names of the builtin classes it derives from, nearest first, itself included.
        frames: All frames but tdebug's own, outermost first.
        user_frames: Those of them that lie in the user's code.
        cause: The exception that it was raised from, or while handling.
    """

    type: str
    text: str
    bases: tuple[str, ...] = ()
    frames: tuple[Location, ...] = ()
    user_frames: tuple[Location, ...] = ()
    cause: Optional["ExceptionFact"] = None

    @property
    def location(self) -> Location | None:
        """The innermost frame of the user's code, else the innermost frame at all."""
        frames = self.user_frames or self.frames
        return frames[-1] if frames else None

    def is_a(self, name: str) -> bool:
        """Whether it is of the builtin class `name` or derives from it."""
        return name in self.bases

    def __str__(self) -> str:
        lines = [line for line in self.text.strip().split("\n") if line.strip()]
        return f"{self.type}: {lines[0]}" if lines else self.type
