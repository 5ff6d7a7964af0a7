"""How many rows nested arrays have, and fewer of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .leaf import as_leaf
from .nested import Nested, map_nested, nested_leaves

if TYPE_CHECKING:
    from .leaf import Leaf


def find_batch_size(nested: Nested) -> int | None:
    """Give the length of the first dimension of the first array that has one, or None.

    What is no array (a string, a number) is passed over.

    >>> import torch
    >>> find_batch_size({"step": 3, "loss": torch.tensor(0.5), "logits": [torch.zeros(8, 2)]})
    8
    """
    for _, leaf in nested_leaves(nested):
        if getattr(leaf, "ndim", 0) and getattr(leaf, "shape", ()):
            return int(leaf.shape[0])
    return None


def nested_truncate(nested: Nested, limit: int) -> Nested:
    """Keep the first `limit` rows of every array, as views; shorter arrays keep all of theirs.

    Raises:
        TypeError: A leaf is no array.
        ValueError: The limit is negative, or an array is 0-d and has no rows.
    """
    if limit < 0:
        raise ValueError(f"a number of rows cannot be negative, and limit={limit}.")

    def truncate(path: str, value: object) -> Leaf | None:
        if value is None:
            return None
        leaf = as_leaf(path, value)
        if not leaf.ndim:
            raise ValueError(f"{path} is 0-d: it has no rows to keep {limit} of.")
        return leaf[:limit]

    return map_nested(truncate, nested)
