"""One value of a sample: its kind, its shape, its numbers."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from .tensor_forms import can_read, shape_of, without_repetition

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

MAX_LIST = 100_000
MAX_TEXT = 200


@dataclass(frozen=True)
class Value:
    """What one value is.

    Attributes:
        kind: `int64 tensor`, `list of int`, `str`, ...
        num_dims: Dimensions, None for what holds no numbers.
        shape: Its shape, None where it has none.
        dtype: For tensors and arrays, "" otherwise.
        numbers: Its numbers as a tensor, None where it holds none.
        text: Its text where it is or holds some.
        types_inside: Python types inside an object array, with an example each.
    """

    kind: str
    num_dims: int | None = None
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    numbers: torch.Tensor | None = None
    text: str | None = None
    types_inside: tuple[tuple[str, str], ...] = ()


def is_value(item: Any) -> bool:
    """Whether it is looked at as one value, not as a container: a list of numbers is."""
    return isinstance(item, list) and bool(item) and _list_kind(item) is not None


def read_value(item: Any) -> Value:
    """What the value is; never raises."""
    for kinds, read in READERS:
        if isinstance(item, kinds):
            return read(item)
    numpy = _numpy_of(item)
    if numpy is not None:
        return _array(item, numpy)
    return Value("None" if item is None else _class_name(item))


def _class_name(item: Any) -> str:
    kind = type(item)
    package = kind.__module__.split(".")[0]
    return kind.__name__ if package in {"builtins", "__main__"} else f"{package}.{kind.__name__}"


def dtype_name(dtype: Any) -> str:
    """`float32` for both torch and numpy dtypes."""
    return str(dtype).removeprefix("torch.")


def _tensor(item: torch.Tensor) -> Value:
    name = dtype_name(item.dtype)
    numbers = without_repetition(item.detach()) if can_read(item) else None
    kind = f"nested {name} tensor" if item.is_nested else f"{name} tensor"
    return Value(kind, item.dim(), shape_of(item), name, numbers)


def _scalar(item: float) -> Value:
    kind = type(item).__name__
    dtypes = {bool: torch.bool, float: torch.float64}
    try:
        numbers = torch.tensor(item, dtype=dtypes.get(type(item), torch.int64))
    except (RuntimeError, OverflowError, ValueError):  # which one differs over versions of torch
        return Value(f"{kind} beyond 64 bits", 0, ())
    return Value(kind, 0, (), numbers=numbers)


def _text(item: str | bytes) -> Value:
    return Value(type(item).__name__, text=str(item[:MAX_TEXT]))


def _numpy_of(item: Any) -> ModuleType | None:
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(item, (numpy.ndarray, numpy.generic)):
        return numpy
    return None


def _array(item: Any, numpy: ModuleType) -> Value:
    name, shape = str(item.dtype), tuple(item.shape)
    word = "array" if isinstance(item, numpy.ndarray) else "scalar"
    if item.dtype == object:
        return Value(
            f"object {word}", len(shape), shape, "object", types_inside=_types_inside(item)
        )
    if item.dtype.kind in "US":
        return Value(f"str {word}", None, shape, name, text=str(item.reshape(-1)[:1]))
    try:
        # A copy, so that torch has no word to say about arrays that are read-only.
        numbers = torch.as_tensor(numpy.array(item)).reshape(shape)
    except (TypeError, ValueError, RuntimeError):
        numbers = None
    return Value(f"{name} {word}", len(shape), shape, name, numbers)


def _types_inside(array: Any) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for entry in array.reshape(-1)[:1000]:
        found.setdefault(type(entry).__name__, repr(entry)[:40])
    return tuple(found.items())


def _list_kind(item: Any) -> str | None:
    """`int`, `float`, `str`, `None` where every entry down to the last list is that; else None."""
    kinds: set[str] = set()
    stack: list[Any] = [item]
    seen = {id(item)}  # a list may hold itself, and the same row more than once
    while stack and len(kinds) <= 1:
        for entry in stack.pop()[:MAX_LIST]:
            if isinstance(entry, (list, tuple)):
                if id(entry) not in seen:
                    seen.add(id(entry))
                    stack.append(entry)
            elif isinstance(entry, (bool, int, float, str)):
                kinds.add("str" if isinstance(entry, str) else "number")
            else:
                return None
    return kinds.pop() if len(kinds) == 1 else None


def _list(item: list[Any] | tuple[Any, ...]) -> Value:
    word = type(item).__name__
    kind = _list_kind(item)
    if kind == "str":
        return Value(f"{word} of str", None, (len(item),), text=str(item[0])[:MAX_TEXT])
    if kind != "number":
        return Value(_list_name(item, word), None, (len(item),))
    try:
        numbers = torch.tensor(item)
    except (ValueError, TypeError, RuntimeError, OverflowError):
        return Value(f"ragged {word} of numbers", None, (len(item),))
    inner = (
        "float" if numbers.is_floating_point() else "bool" if numbers.dtype is torch.bool else "int"
    )
    nested = f"{word} of lists" if numbers.dim() > 1 else word
    return Value(f"{nested} of {inner}", numbers.dim(), tuple(numbers.shape), numbers=numbers)


def _list_name(item: list[Any] | tuple[Any, ...], word: str) -> str:
    inside = dict.fromkeys(_class_name(entry) for entry in item[:MAX_LIST])
    return f"{word} of {' and '.join(inside)}" if inside else f"empty {word}"


READERS: tuple[tuple[Any, Callable[[Any], Value]], ...] = (
    (torch.Tensor, _tensor),
    ((bool, int, float), _scalar),
    ((str, bytes), _text),
    ((list, tuple), _list),
)
