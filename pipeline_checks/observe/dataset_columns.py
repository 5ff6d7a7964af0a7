"""Find the columns that a dataset holds in memory, whatever kind of dataset it is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import ConcatDataset, Dataset, StackDataset, Subset, TensorDataset

from .arrow_columns import arrow_columns, is_arrow_dataset
from .column import Column, join_columns, numbers_of_array
from .list_columns import columns_of_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .column_numbers import Clock

MAX_DEPTH = 4
INDEX_WORDS = ("ind", "idx", "perm", "order", "rows", "subset")


def dataset_columns(dataset: Any, length: int, clock: Clock, depth: int = 0) -> Iterator[Column]:
    """The columns of a dataset, each as long as it; of its own code only `__len__` is run.

    Args:
        dataset: The dataset.
        length: Its length.
        clock: When to stop looking.
        depth: How many datasets are around this one.
    """
    if depth > MAX_DEPTH or clock.is_spent:
        return
    if _reads_as(dataset, TensorDataset):
        for number, tensor in enumerate(dataset.tensors):
            yield from _columns(f"tensors[{number}]", tensor, length, f"[{number}]")
    elif _reads_as(dataset, Subset):
        inner = dataset_columns(dataset.dataset, len(dataset.dataset), clock, depth + 1)
        taken = (column.of_rows(dataset.indices) for column in inner)
        yield from (column for column in taken if column is not None)
    elif _reads_as(dataset, ConcatDataset):
        yield from _of_concatenated(dataset.datasets, clock, depth)
    elif _reads_as(dataset, StackDataset):
        yield from _of_stacked(dataset.datasets, length, clock, depth)
    elif is_arrow_dataset(dataset):
        yield from arrow_columns(dataset, clock)
    elif _is_data(dataset):
        yield from _columns("", dataset, length, "")
    else:
        yield from _of_attributes(dataset, length, clock, depth)


def _of_attributes(dataset: Any, length: int, clock: Clock, depth: int) -> Iterator[Column]:
    """What a dataset of the user's has as attributes; what it makes of them is not known."""
    held = dict(getattr(dataset, "__dict__", {}))
    for name, value in held.items():
        yield from _of_value(name, value, length, clock, depth)
    for indices in _index_lists(held, length):
        for name, value in held.items():
            size = _size_of(value)
            if size is not None and size != length:
                for column in _of_value(name, value, size, clock, depth):
                    chosen = column.of_rows(indices)
                    if chosen is not None:
                        yield chosen


def _of_value(name: str, value: Any, length: int, clock: Clock, depth: int) -> Iterator[Column]:
    """The columns of an attribute, if it has this length."""
    if _size_of(value) != length:
        return
    if _is_data(value):
        yield from _columns(name, value, length, None)
    else:
        for column in dataset_columns(value, length, clock, depth + 1):
            yield column.under(None)


def _size_of(value: Any) -> int | None:
    """The length of what may hold columns, None for all else."""
    is_dataset = _is_dataset(value)
    is_list = _is_data(value) and getattr(value, "shape", (1,)) != ()
    has_length = is_list or (is_dataset and hasattr(type(value), "__len__"))
    try:
        return len(value) if has_length else None
    except Exception:  # noqa: BLE001 - the user's __len__ may raise anything
        return None


def _is_dataset(value: Any) -> bool:
    return isinstance(value, Dataset) or is_arrow_dataset(value)


def _index_lists(held: dict[str, Any], length: int) -> Iterator[torch.Tensor]:
    """Attributes named as a list of indices is, of one sample each: a part, or another order."""
    for name, value in held.items():
        if any(word in name.lower() for word in INDEX_WORDS) and _is_data(value):
            for column in _columns(name, value, length, None):
                numbers = column.numbers
                if numbers is not None and numbers.dim() == 1 and not numbers.is_floating_point():
                    yield numbers.to(torch.int64)


def _reads_as(dataset: Any, kind: type[Any]) -> bool:
    """Whether it is read as this kind of dataset is: a subclass may read otherwise."""
    return getattr(type(dataset), "__getitem__", None) is kind.__getitem__


def _of_concatenated(datasets: Any, clock: Clock, depth: int) -> Iterator[Column]:
    parts = [
        {column.name: column for column in dataset_columns(one, len(one), clock, depth + 1)}
        for one in datasets
    ]
    for name in parts[0] if parts else ():
        joined = join_columns([part[name] for part in parts]) if _all_have(parts, name) else None
        if joined is not None:
            yield joined


def _all_have(parts: list[dict[str, Column]], name: str) -> bool:
    return all(name in part for part in parts)


def _of_stacked(datasets: Any, length: int, clock: Clock, depth: int) -> Iterator[Column]:
    is_dict = isinstance(datasets, dict)
    pairs = datasets.items() if is_dict else enumerate(datasets)
    for key, one in pairs:
        path = f'["{key}"]' if isinstance(key, str) else f"[{key!r}]"
        for column in dataset_columns(one, length, clock, depth + 1):
            yield column.under(path)


def _is_data(value: Any) -> bool:
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    return (
        isinstance(value, (torch.Tensor, list, tuple))
        or (numpy is not None and isinstance(value, numpy.ndarray))
        or (pandas is not None and isinstance(value, (pandas.Series, pandas.DataFrame)))
    )


def _columns(name: str, value: Any, length: int, path: str | None) -> Iterator[Column]:
    """The columns of something held by a dataset, if it has one entry a sample."""
    if not _is_data(value) or (isinstance(value, torch.Tensor) and not value.dim()):
        return
    if getattr(value, "shape", (1,)) == () or len(value) != length or not length:
        return
    if isinstance(value, torch.Tensor):
        if value.layout is torch.strided and value.device.type == "cpu" and not value.is_quantized:
            yield Column(name, value.detach(), path=path)
    elif isinstance(value, (list, tuple)):
        yield from columns_of_list(name, value, path)
    elif hasattr(value, "iloc"):
        yield from _of_pandas(name, value)
    elif value.dtype == object and value.ndim == 1:
        yield from columns_of_list(name, value.tolist(), path)
    else:
        numbers = numbers_of_array(value)
        if numbers is not None:
            yield Column(name, numbers, path=path)


def _of_pandas(name: str, value: Any) -> Iterator[Column]:
    """The columns of a data frame, or the one of a series."""
    is_frame = hasattr(value, "columns")
    for key in list(value.columns) if is_frame else [None]:
        series = value[key] if is_frame else value
        if getattr(series, "ndim", 1) != 1:  # two columns of one name
            continue
        shown = f"{name}[{key!r}]" if is_frame else name
        numbers = numbers_of_array(series.to_numpy()) if _is_plain(series) else None
        if numbers is not None:
            yield Column(shown, numbers)
        elif series.hasnans:
            yield Column(shown, odd_rows=(int(series.isna().to_numpy().argmax()),))
        elif series.dtype == object:
            yield from columns_of_list(shown, series.tolist(), None)


def _is_plain(series: Any) -> bool:
    return type(series.dtype).__module__.split(".")[0] == "numpy"
