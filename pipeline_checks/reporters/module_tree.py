"""Modules in the order of their tree, from frames that come in the order in which they ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")


@dataclass
class _Node(Generic[T]):
    items: list[T] = field(default_factory=list)
    children: dict[str, _Node[T]] = field(default_factory=dict)


def in_tree_order(named: Iterable[tuple[str, T]]) -> Iterator[tuple[int, str, T]]:
    """Yield depth, name below the parent, and item, each parent before its children.

    Modules without an item (a ModuleList) take no place of their own: their name stands before
    their children's.

    >>> frames = [("wte", 1), ("h.0.mlp", 2), ("h.0", 3), ("", 4)]
    >>> [(depth, name) for depth, name, _ in in_tree_order(frames)]
    [(0, ''), (1, 'wte'), (1, 'h.0'), (2, 'mlp')]
    """
    root: _Node[T] = _Node()
    for name, item in named:
        node = root
        for part in name.split(".") if name else ():
            node = node.children.setdefault(part, _Node())
        node.items.append(item)
    yield from _walk(root, "", 0)


def _walk(node: _Node[T], name: str, depth: int) -> Iterator[tuple[int, str, T]]:
    for item in node.items:
        yield depth, name, item
    below = depth + 1 if node.items else depth
    prefix = "" if node.items or not name else f"{name}."
    for part, child in node.children.items():
        yield from _walk(child, prefix + part, below)
