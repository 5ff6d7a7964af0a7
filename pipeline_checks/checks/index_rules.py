"""Indices that a tensor does not have."""

from dataclasses import dataclass

from ..facts.tensors import TensorFact
from ..facts.training import FailureFact
from .failures import plain_function

TAKERS = frozenset({"gather", "index_select", "take_along_dim", "getitem", "scatter", "index_add"})


@dataclass(frozen=True)
class BadIndex:
    """An index tensor that reaches beyond the tensor that it picks from.

    Attributes:
        given: What is picked from.
        index: The indices.
        value: The one that is furthest out.
        size: The size that it must stay below.
    """

    given: TensorFact
    index: TensorFact
    value: float
    size: int


def find_bad_index(failure: FailureFact) -> BadIndex | None:
    """The first index out of range of a call that raised; None where that is not the cause."""
    if plain_function(failure) not in TAKERS or not failure.operands:
        return None
    given, *indices = failure.operands
    for place, index in enumerate(indices):
        if not index.is_integer or index.max is None or index.min is None:
            continue
        for size in _sizes(given.shape, _dim(failure, place)):
            if index.max >= size or index.min < -size:
                value = index.max if index.max >= size else index.min
                return BadIndex(given, index, value, size)
    return None


def _dim(failure: FailureFact, place: int) -> int | None:
    """The dimension that is picked from, as far as the arguments tell."""
    if plain_function(failure) == "getitem":
        return place
    for argument in failure.arguments:
        text = argument.removeprefix("dim=")
        if text.lstrip("-").isdigit():
            return int(text)
    return None


def _sizes(shape: tuple[int, ...], dim: int | None) -> tuple[int, ...]:
    if dim is not None and -len(shape) <= dim < len(shape):
        return (shape[dim],)
    return shape
