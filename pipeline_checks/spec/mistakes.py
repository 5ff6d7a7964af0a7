"""What is wrong with a spec: one mistake, and the error that carries all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Mistake:
    """One mistake of a spec.

    Attributes:
        file: The file as the user named it.
        line: Counted from 1, or None where only the file is known.
        message: A sentence: what is there and what was expected.
        remedy: A sentence: what to do about it (`Did you mean 'optimizer'?`), or "".
    """

    file: str
    line: int | None
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return " ".join(part for part in (f"{place}: {self.message}", self.remedy) if part)


class SpecError(ValueError):
    """A spec cannot be used; `mistakes` lists everything that is wrong with it.

    Its text is one line a mistake, `file:line: message`, in the order of the lines.
    """

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(sorted(mistakes, key=lambda mistake: mistake.line or 0))
        super().__init__("\n".join(str(mistake) for mistake in self.mistakes))
