"""pydantic's errors, told in the user's words with file and line."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from .flaws import FlawsError
from .mistakes import Mistake
from .near import did_you_mean
from .sections import SECTIONS
from .shown import show_path, show_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic import ValidationError

    from .lines import KeyPath, Lines

UNKNOWN_KEY = frozenset(("extra_forbidden", "unexpected_keyword_argument", "invalid_key"))


def list_mistakes(
    error: ValidationError, file: str, lines: Lines, keys: Sequence[str]
) -> list[Mistake]:
    """One mistake for each thing wrong.

    Args:
        error: What pydantic found.
        file: The file as the user named it.
        lines: Its lines.
        keys: The keys that there are.
    """
    return [
        mistake
        for detail in error.errors(include_url=False)
        for mistake in _translate(detail, file, lines, keys)
    ]


def _translate(detail: Any, file: str, lines: Lines, keys: Sequence[str]) -> Iterator[Mistake]:
    path: KeyPath = tuple(str(key) for key in detail["loc"])
    line = lines.find(path)
    if detail["type"] in UNKNOWN_KEY:
        yield Mistake(file, line, *describe_unknown_key(path, keys))
        return
    reason = detail.get("ctx", {}).get("error")
    if isinstance(reason, FlawsError):
        for flaw in reason.flaws:
            full = flaw if flaw.path[: len(path)] == path else flaw.below(path)
            yield Mistake(file, lines.find(full.path), full.message, full.remedy)
        return
    value = show_value(detail["input"])
    yield Mistake(file, line, f"{show_path(path)} is {value}; expected a mapping.")


def describe_unknown_key(path: KeyPath, keys: Sequence[str]) -> tuple[str, str]:
    """The sentence about a key that there is not, and what may have been meant."""
    *above, last = path
    key = str(last)
    if above:
        known = [entry.name for entry in fields(SECTIONS[str(above[0])])]
        remedy = did_you_mean(key, known) or f"There are {', '.join(known)}."
        return f"there is no key {show_value(key)} in {show_path(tuple(above))}.", remedy
    for section, kind in SECTIONS.items():
        if key in {entry.name for entry in fields(kind)}:
            return f"{key} stands at the top.", f"It goes below {section}."
    return f"there is no key {show_value(key)}.", did_you_mean(key, keys)
