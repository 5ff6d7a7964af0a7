"""What is kept of an exception of the user's code."""

from __future__ import annotations

from dataclasses import dataclass

from ..report import Location  # noqa: TC001 - pydantic reads the annotations when it decodes


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
    cause: ExceptionFact | None = None

    @property
    def location(self) -> Location | None:
        """The innermost frame of the user's code, else the innermost frame at all."""
        frames = self.user_frames or self.frames
        return frames[-1] if frames else None

    def is_a(self, name: str) -> bool:
        """Whether it is of the builtin class `name` or derives from it."""
        return name in self.bases

    def __str__(self) -> str:
        first_line = self.text.strip().split("\n")[0]
        return f"{self.type}: {first_line}" if first_line else self.type
