"""Walking through what modules take and return: tensors in tuples, dicts, dataclasses and lists."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

MAX_DEPTH = 12
_PLAIN = (int, float, bool, str, bytes, complex, type(None))


def walk_leaves(value: Any, context: str) -> Iterator[tuple[str, Any]]:
    """Yield each leaf of a nested value with the path that leads to it.

    Tuples, named tuples and lists give `context[i]`, mappings `context[key]`, dataclasses
    `context.field`. A mapping that is also a dataclass (a transformers ModelOutput) is read as a
    mapping. Anything else is a leaf, whether it is a tensor or not; so is a list of plain numbers.

    Args:
        value: What a module took or returned.
        context: Name of the value itself, e.g. `output`.

    Example:
        >>> [path for path, _ in walk_leaves({"a": (1, 2), "b": 3}, "output")]
        ['output[a][0]', 'output[a][1]', 'output[b]']
    """
    yield from _walk(value, context, MAX_DEPTH)


def iterate_tensors(value: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors inside a nested value, in order."""
    for _, leaf in walk_leaves(value, ""):
        if isinstance(leaf, torch.Tensor):
            yield leaf


def _walk(value: Any, context: str, depth: int) -> Iterator[tuple[str, Any]]:
    if isinstance(value, torch.Tensor) or depth == 0:
        yield context, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _walk(item, f"{context}[{key}]", depth - 1)
    elif _is_walked_sequence(value):
        for i, item in enumerate(value):
            yield from _walk(item, f"{context}[{i}]", depth - 1)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            item = getattr(value, field.name, None)
            yield from _walk(item, f"{context}.{field.name}", depth - 1)
    else:
        yield context, value


def _is_walked_sequence(value: Any) -> bool:
    """Tell whether to look inside; a list of a million token ids holds no tensor."""
    if not isinstance(value, (tuple, list)):
        return False
    return isinstance(value, tuple) or _has_more_than_numbers(value)


def _has_more_than_numbers(value: Sequence[Any]) -> bool:
    return len(value) > 0 and not isinstance(value[0], _PLAIN)
