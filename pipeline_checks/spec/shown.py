"""How a value and a key of the spec are shown in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .lines import KeyPath

LONGEST = 60


def show_value(value: object) -> str:
    """The value in the words of YAML, shortened, control characters escaped.

    >>> show_value("many"), show_value(True), show_value([1])
    ("'many'", 'true', 'a list')
    """
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list"
    text = repr(value[: LONGEST + 1] if isinstance(value, str) else value)
    return text if len(text) <= LONGEST + 2 else f"{text[:LONGEST]}...'"


def show_path(path: KeyPath) -> str:
    """A key path as people write it.

    >>> show_path(("checks", "select", 1))
    'checks.select[1]'
    """
    text = ""
    for key in path:
        step = f"[{key}]" if isinstance(key, int) else f".{show_key(key)}"
        text += step
    return text.removeprefix(".")


def show_key(key: object) -> str:
    """A key of a mapping, shortened, control characters escaped."""
    text = str(key)
    return text if text.isprintable() and len(text) <= LONGEST else show_value(text)
