"""What is wrong with a value, said without knowing its file: the spec and CONFIG add the place."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .shown import show_path, show_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .lines import KeyPath


@dataclass(frozen=True)
class Flaw:
    """One thing wrong with a value.

    Attributes:
        predicate: What follows the key in the sentence: `is 'many'; expected ...`.
        remedy: A sentence, or "".
        path: From the value down to the part of it that is wrong.
    """

    predicate: str
    remedy: str = ""
    path: KeyPath = ()

    @classmethod
    def unlike(cls, value: object, expected: str, remedy: str = "", path: KeyPath = ()) -> Flaw:
        """The flaw of a value that is not as expected."""
        return cls(f"is {show_value(value)}; expected {expected}.", remedy, path)

    @classmethod
    def interpolation(cls, text: str, path: KeyPath = ()) -> Flaw:
        """The flaw of `${...}`."""
        predicate = f"is {show_value(text)}; interpolations are not read."
        return cls(predicate, "Write the value itself.", path)

    def below(self, path: KeyPath) -> Flaw:
        """The same flaw, told from further up."""
        return replace(self, path=(*path, *self.path))

    @property
    def message(self) -> str:
        """The sentence, once `path` begins at the top of the file."""
        return f"{show_path(self.path)} {self.predicate}"


def has_interpolation(value: object) -> bool:
    """Whether a value is a text with `${...}` in it, as OmegaConf and Hydra fill in."""
    return isinstance(value, str) and "${" in value


class FlawsError(ValueError):
    """A value cannot be used; `flaws` lists what is wrong with it."""

    def __init__(self, flaws: Iterable[Flaw]) -> None:
        self.flaws = tuple(flaws)
        super().__init__(" ".join(f"it {flaw.predicate} {flaw.remedy}" for flaw in self.flaws))


@contextmanager
def gather_flaws(flaws: list[Flaw], path: KeyPath = ()) -> Iterator[None]:
    """Add the flaws that the block raises to `flaws`, told from `path`, and go on after it."""
    try:
        yield
    except FlawsError as error:
        flaws.extend(flaw.below(path) for flaw in error.flaws)
