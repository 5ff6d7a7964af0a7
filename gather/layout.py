"""What nested arrays look like, as plain data that ranks can compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from .leaf import as_leaf, at_least_1d
from .nested import Nested, children, describe_form, is_container, nested_leaves
from .wording import count

if TYPE_CHECKING:
    from .leaf import Leaf


@dataclass(frozen=True)
class LeafLayout:
    """Kind, dtype and shape of one array.

    Attributes:
        kind: `torch` or `numpy`.
        dtype: The dtype in words.
        shape: Its shape; the first dimension counts rows.
        num_bytes: The size of its elements together.
    """

    kind: str
    dtype: str
    shape: tuple[int, ...]
    num_bytes: int

    @classmethod
    def of(cls, leaf: Leaf) -> LeafLayout:
        """Look at an array."""
        kind = "torch" if isinstance(leaf, torch.Tensor) else "numpy"
        return cls(kind, str(leaf.dtype).removeprefix("torch."), tuple(leaf.shape), leaf.nbytes)

    def describe(self) -> str:
        """Say kind, dtype and shape in words."""
        return f"{self.kind} {self.dtype} of shape {self.shape}"

    def describe_type(self) -> str:
        """Say in words what must be the same to be gathered: all but the lengths."""
        return f"{self.kind} {self.dtype} with {count(len(self.shape), 'dimension')}"


@dataclass(frozen=True)
class Layout:
    """The structure of nested arrays and the layout of each.

    Attributes:
        forms: What stands at each path, lists, tuples and dicts included.
        leaves: The layout of each array by its path.
    """

    forms: dict[str, str]
    leaves: dict[str, LeafLayout]

    @classmethod
    def of(cls, nested: Nested) -> Layout:
        """Look at nested arrays.

        Raises:
            TypeError: A leaf is no array, or one whose elements cannot be sent.
        """
        leaves = {
            path: LeafLayout.of(as_sendable(path, leaf))
            for path, leaf in nested_leaves(nested)
            if leaf is not None
        }
        return cls(_describe_forms(nested, "arrays"), leaves)

    def to_word(self) -> dict[str, Any]:
        """Give it as plain data."""
        leaves = {
            path: [leaf.kind, leaf.dtype, list(leaf.shape), leaf.num_bytes]
            for path, leaf in self.leaves.items()
        }
        return {"forms": self.forms, "leaves": leaves}

    @classmethod
    def from_word(cls, word: dict[str, Any]) -> Layout:
        """Read what `to_word` gave."""
        leaves = {
            path: LeafLayout(kind, dtype, tuple(shape), num_bytes)
            for path, (kind, dtype, shape, num_bytes) in word["leaves"].items()
        }
        return cls(word["forms"], leaves)


def as_sendable(path: str, value: object) -> Leaf:
    """Take an array whose elements lie one after the other, with a row at least.

    Raises:
        TypeError: It is no array, or sparse, or holds Python objects.
    """
    leaf = as_leaf(path, value)
    if isinstance(leaf, torch.Tensor):
        if leaf.layout is not torch.strided:
            raise TypeError(f"{path} is a {leaf.layout} tensor: make it dense to send it.")
    elif leaf.dtype.hasobject:
        raise TypeError(f"{path} holds Python objects, and only numbers can be sent.")
    return at_least_1d(leaf)


def _describe_forms(nested: Nested, path: str) -> dict[str, str]:
    if not is_container(nested):
        return {path: "None" if nested is None else "array"}
    forms = {path: describe_form(nested)}
    for key, child in children(nested):
        forms |= _describe_forms(child, f"{path}[{key!r}]")
    return forms
