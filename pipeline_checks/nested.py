"""Walk nested containers and name the places in them as the user would."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 6


def leaves(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Every value that is no container, with its path: `["meta"]["id"]`, `[0]`, `.logits`."""
    children = list(entries(value)) if depth < MAX_DEPTH else []
    if not children:
        yield path, value
    for key, child in children:
        yield from leaves(child, path + key, depth + 1)


def entries(value: Any) -> Iterator[tuple[str, Any]]:
    """The entries of one container with their keys; nothing for other values."""
    if isinstance(value, Mapping):
        yield from (
            (f'["{key}"]' if isinstance(key, str) else f"[{key!r}]", item)
            for key, item in value.items()
        )
    elif is_named_tuple(value):
        yield from ((f".{name}", getattr(value, name)) for name in value._fields)
    elif isinstance(value, (list, tuple)):
        yield from ((f"[{number}]", item) for number, item in enumerate(value))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from ((f".{f.name}", getattr(value, f.name, None)) for f in dataclasses.fields(value))


def is_named_tuple(value: Any) -> bool:
    """Whether it is an instance of a named tuple."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def container_name(value: Any) -> str:
    """`dict`, `tuple`, `list`, or the class name of what is no plain container."""
    if type(value) in {dict, list, tuple}:
        return type(value).__name__
    if isinstance(value, Mapping):
        return f"dict ({type(value).__name__})"
    return type(value).__name__
