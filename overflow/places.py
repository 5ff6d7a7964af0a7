"""Positions in a tensor, written as Python indexes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

MOST_NAMED = 3


def describe_places(marked: Tensor) -> str:
    """Write where a boolean tensor is True: `[:, 7]`, `[0:3]`, `[0, 1], [2, 0] and 5 more`.

    Example:
        >>> import torch
        >>> describe_places(torch.tensor([[False, True], [False, True]]))
        '[:, 1]'
        >>> describe_places(torch.tensor([True, False, True]))
        '[0], [2]'
    """
    positions = marked.nonzero().tolist()
    if not marked.dim() or not positions:
        return ""
    by_dimension = [sorted(set(numbers)) for numbers in zip(*positions, strict=True)]
    num_in_block = 1
    for numbers in by_dimension:
        num_in_block *= len(numbers)
    is_block = num_in_block == len(positions) and all(_is_run(n) for n in by_dimension)
    if is_block:
        sizes = zip(by_dimension, marked.shape, strict=True)
        return f"[{', '.join(_slice(numbers, size) for numbers, size in sizes)}]"
    named = ", ".join(str(position) for position in positions[:MOST_NAMED])
    more = len(positions) - MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named


def _is_run(numbers: list[int]) -> bool:
    return numbers[-1] - numbers[0] == len(numbers) - 1


def _slice(numbers: list[int], size: int) -> str:
    if len(numbers) == size:
        return ":"
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}:{numbers[-1] + 1}"
