"""Walk nested lists, tuples and dicts of arrays, and say where in them something is."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, TypeAlias

Nested: TypeAlias = Any
"""A tensor, a numpy array, None, or a list, tuple, named tuple or mapping of these."""


def map_nested(
    function: Callable[..., Any], first: Nested, *others: Nested, path: str = "arrays"
) -> Nested:
    """Call `function(path, leaf, *other_leaves)` on every leaf and keep the structure of `first`.

    Args:
        function: Called with the path of the leaf (`arrays['logits'][0]`) and the leaves there.
        first: Gives the structure and the order of the calls.
        others: Structures of the same form.
        path: What the outermost structure is called in errors.

    Returns:
        The results, in lists, tuples and mappings of the types that `first` has. A read-only
        mapping comes back as a dict.

    Raises:
        ValueError: The structures differ; the message says where and how.

    >>> map_nested(lambda path, x: f"{path}={x}", {"a": [1, (2, None)]})
    {'a': ["arrays['a'][0]=1", ("arrays['a'][1][0]=2", "arrays['a'][1][1]=None")]}
    """
    for other in others:
        _require_same_form(path, first, other)
    if not is_container(first):
        return function(path, first, *others)
    results = {
        key: map_nested(function, child, *(other[key] for other in others), path=f"{path}[{key!r}]")
        for key, child in children(first)
    }
    return _rebuild(first, results)


def nested_leaves(nested: Nested, path: str = "arrays") -> Iterator[tuple[str, Any]]:
    """Yield every leaf with its path, in the order in which they are gathered.

    >>> list(nested_leaves([1, {"b": 2}]))
    [('arrays[0]', 1), ("arrays[1]['b']", 2)]
    """
    if not is_container(nested):
        yield path, nested
        return
    for key, child in children(nested):
        yield from nested_leaves(child, f"{path}[{key!r}]")


def is_container(nested: Nested) -> bool:
    """Tell whether this is a list, tuple or mapping, which are walked, or a leaf."""
    return isinstance(nested, (list, tuple, Mapping))


def describe_form(nested: Nested) -> str:
    """Say in words what stands here, without its values.

    >>> describe_form({"a": 1, "b": 2}), describe_form([0, 0]), describe_form("x")
    ("dict with the keys 'a', 'b'", 'list of 2', 'str')
    """
    name = type(nested).__name__
    if isinstance(nested, Mapping):
        return f"{name} with the keys {', '.join(map(repr, nested))}" if nested else f"empty {name}"
    return f"{name} of {len(nested)}" if is_container(nested) else name


def children(container: Nested) -> list[tuple[Any, Nested]]:
    """Give what a list, tuple or mapping holds, with index or key."""
    if isinstance(container, Mapping):
        return list(container.items())
    return list(enumerate(container))


def _rebuild(container: Nested, results: dict[Any, Any]) -> Nested:
    if type(container) is dict:
        return results
    if isinstance(container, MutableMapping):
        # A copy keeps what a constructor would ask for: a default factory, a ModelOutput's fields.
        rebuilt = copy.copy(container)
        for key, result in results.items():
            rebuilt[key] = result
        return rebuilt
    if isinstance(container, Mapping):
        return results
    if hasattr(container, "_make"):  # a named tuple, whose constructor takes its fields one by one
        return container._make(results.values())
    return type(container)(results.values())


def _require_same_form(path: str, first: Nested, other: Nested) -> None:
    if isinstance(first, Mapping) and isinstance(other, Mapping):
        same = first.keys() == other.keys()
    elif is_container(first) or is_container(other):
        same = type(first) is type(other) and len(first) == len(other)
    else:
        same = (first is None) == (other is None)
    if not same:
        raise ValueError(
            f"the structures differ at {path}: "
            f"{describe_form(first)} in the first, {describe_form(other)} in the other."
        )
