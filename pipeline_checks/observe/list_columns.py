"""Columns in Python lists: of numbers, of texts, of rows that are tuples or dicts."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import torch

from .column import Column, numbers_of_array

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_ENTRIES = 2_000_000
MAX_KEYS = 100
MAX_ARRAYS = 50_000  # 0.2 s
# A type that so few entries have is not what the list is meant to hold.
ODD_SHARE = 0.01
NUMBERS: tuple[type, ...] = (bool, int, float)


def columns_of_list(name: str, rows: Sequence[Any], path: str | None) -> Iterator[Column]:
    """The columns of a list with one entry a sample.

    Args:
        name: Where it was found.
        rows: The list.
        path: The field of the samples that an entry surely is, None where that is not known.
    """
    if not rows or len(rows) > MAX_ENTRIES:
        return
    first, kinds = rows[0], Counter(map(type, rows))
    odd = (*_odd_rows(rows, kinds), *_rows_not_finite(rows, first))
    sizes = _sizes(rows, kinds)
    if odd or sizes is not None:
        yield Column(name, odd_rows=odd, sizes=sizes)
    if isinstance(first, dict):
        yield from _columns_of_rows(name, rows, list(first), kinds, path)
    elif isinstance(first, tuple):
        yield from _columns_of_rows(name, rows, list(range(len(first))), kinds, path)
    elif all(issubclass(kind, NUMBERS) or _is_numpy_scalar(kind) for kind in kinds):
        numbers = _numbers(rows, kinds)
        if numbers is not None:
            yield Column(name, numbers, path=path)


def _columns_of_rows(
    name: str, rows: Sequence[Any], keys: list[Any], kinds: Counter[type], path: str | None
) -> Iterator[Column]:
    """One column an entry of the rows, where every row has it."""
    if len(kinds) > 1 or len(keys) > MAX_KEYS or len(rows) * len(keys) > MAX_ENTRIES:
        return
    for key in keys:
        try:
            values = [row[key] for row in rows]
        except (KeyError, IndexError):
            continue
        if isinstance(values[0], (dict, tuple)):
            continue
        shown = f'["{key}"]' if isinstance(key, str) else f"[{key!r}]"
        inner = None if path is None else f"{path}{shown}"
        yield from columns_of_list(f"{name}[...]{shown}", values, inner)


def _odd_rows(rows: Sequence[Any], kinds: Counter[type]) -> Iterator[int]:
    """The first entry of each type that hardly any entry has; numbers are one type."""
    rare = [kind for kind, number in kinds.items() if number <= ODD_SHARE * len(rows)]
    if any(issubclass(kind, NUMBERS) for kind in kinds if kind not in rare):
        rare = [kind for kind in rare if not issubclass(kind, NUMBERS)]
    for kind in rare:
        yield next(number for number, row in enumerate(rows) if type(row) is kind)


def _sizes(rows: Sequence[Any], kinds: Counter[type]) -> torch.Tensor | None:
    """How long each entry is where all are texts or lists."""
    return torch.tensor([*map(len, rows)]) if kinds.keys() <= {str, list} else None


def _rows_not_finite(rows: Sequence[Any], first: Any) -> Iterator[int]:
    """The first of many arrays or tensors that holds nan or inf: its sum does then."""
    if not (isinstance(first, torch.Tensor) or numbers_of_array(first) is not None):
        return
    for number, row in enumerate(rows[:MAX_ARRAYS]):
        try:
            total = float(row.sum())
        except (AttributeError, TypeError, ValueError, RuntimeError):
            return
        if total - total != 0:
            yield number
            return


def _is_numpy_scalar(kind: type) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and issubclass(kind, (numpy.number, numpy.bool_))


def _numbers(values: Sequence[Any], kinds: Counter[type]) -> torch.Tensor | None:
    numpy = sys.modules.get("numpy")
    try:
        if numpy is not None:
            return numbers_of_array(numpy.array(values))
        is_whole = not any(issubclass(kind, float) for kind in kinds)
        return torch.tensor(values, dtype=torch.int64 if is_whole else torch.float64)
    except (OverflowError, TypeError, ValueError, RuntimeError):
        return None
