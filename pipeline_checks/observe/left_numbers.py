"""Numbers that left torch, known again by their values in tensors that are made of them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from ..nested import leaves

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

NO_CUTS: frozenset[int] = frozenset()
MAX_NUMBERS = 64
MAX_COMPARED = 20_000
# Numbers that are met everywhere tell nothing of where they come from.
TRIVIAL = frozenset({-1.0, 0.0, 1.0})


class LeftNumbers:
    """What `.item()`, `.tolist()`, `.numpy()` gave in one forward, with the cuts behind it."""

    def __init__(self) -> None:
        self._left: list[tuple[frozenset[float], frozenset[int]]] = []
        self._looked: dict[int, torch.Tensor] = {}  # kept, so that no other gets their ids

    def add(self, result: Any, marks: frozenset[int]) -> None:
        """Note numbers that hang on these cuts."""
        telling = _values_of(result, MAX_NUMBERS) - TRIVIAL if marks else None
        if telling:
            self._left.append((telling, marks))

    def marks_of(self, tensor: torch.Tensor) -> frozenset[int]:
        """The cuts whose numbers are in this tensor."""
        if not self._left or tensor.numel() > MAX_COMPARED:
            return NO_CUTS
        values = _values_of(tensor)
        return NO_CUTS.union(*(marks for left, marks in self._left if left <= values))

    def not_looked_at(self, given: list[torch.Tensor]) -> Iterator[torch.Tensor]:
        """Those that may be made of such numbers unseen: `torch.from_numpy`, `FloatTensor`."""
        for tensor in given if self._left else ():
            if id(tensor) not in self._looked and not tensor.requires_grad:
                self._looked[id(tensor)] = tensor
                if tensor.is_floating_point():
                    yield tensor


def _values_of(value: Any, most: int | None = None) -> frozenset[float]:
    """The numbers in plain Python or numpy values, as far as float32 tells them apart."""
    value = value.tolist() if hasattr(value, "tolist") else value
    numbers = (leaf for _, leaf in leaves(value) if isinstance(leaf, (int, float)))
    return frozenset(float(f"{number:.6g}") for number in islice(numbers, most))
