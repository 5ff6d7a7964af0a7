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
    if plain_function(failure) == "one_hot":
        return _of_one_hot(failure)
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


def _of_one_hot(failure: FailureFact) -> BadIndex | None:
    """Class ids at or above the number of classes that one_hot was told, or below 0."""
    ids = next(iter(failure.operands), None)
    numbers = [text.removeprefix("num_classes=") for text in failure.arguments]
    size = next((int(text) for text in numbers if text.isdigit()), None)
    if ids is None or ids.max is None or ids.min is None:
        return None
    if ids.min < 0:
        return BadIndex(ids, ids, ids.min, size or int(ids.max) + 1)
    return BadIndex(ids, ids, ids.max, size) if size is not None and ids.max >= size else None


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
