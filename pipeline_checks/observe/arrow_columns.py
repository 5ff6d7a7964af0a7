"""Columns of a Hugging Face dataset, which lie in Arrow tables."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch

from .column import Column, numbers_of_array

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .column_numbers import Clock

MAX_BYTES = 400_000_000
MAX_NULLS = 1000


def is_arrow_dataset(dataset: Any) -> bool:
    """Whether it is a `datasets.Dataset`."""
    datasets = sys.modules.get("datasets")
    return datasets is not None and isinstance(dataset, datasets.Dataset)


def arrow_columns(dataset: Any, clock: Clock) -> Iterator[Column]:
    """Its columns of numbers and of lists of numbers, and rows of any column that are null."""
    has_transform = (dataset.format or {}).get("type") == "custom"
    # After a shuffle or a selection; asking the dataset for its rows would take them one by one.
    indices = getattr(dataset, "_indices", None)
    rows = None if indices is None else indices.column(0).to_numpy().astype("int64")
    for name in dataset.column_names:
        values = dataset.data.column(name)
        if clock.is_spent or values.nbytes > MAX_BYTES:
            continue
        nulls = _null_rows(values, rows) if values.null_count else ()
        if nulls:
            yield Column(name, odd_rows=nulls)
            continue
        column = _column(name, values, None if has_transform else f'["{name}"]')
        if column is not None and rows is not None:
            column = column.of_rows(torch.as_tensor(rows))
        if column is not None:
            yield column


def _column(name: str, values: Any, path: str | None) -> Column | None:
    """The column, of which the dataset uses no row that is null."""
    if _is_text(values.type):
        return Column(name, sizes=_lengths(values))
    if not _is_numeric(values.type) or (values.null_count and _is_list(values.type)):
        return None
    if values.null_count:
        zero = sys.modules["pyarrow"].scalar(0).cast(values.type)
        values = values.fill_null(zero)
    return _column_of_numbers(name, _one_array(values), path)


def _one_array(values: Any) -> Any:
    combined = values.combine_chunks()
    is_chunked = hasattr(combined, "chunks")  # they are still, in some versions
    return combined.chunk(0) if is_chunked and combined.num_chunks == 1 else combined


def _column_of_numbers(name: str, values: Any, path: str | None) -> Column | None:
    if hasattr(values, "chunks"):
        return None
    offsets: torch.Tensor | None = None
    while _is_list(values.type):
        own = torch.as_tensor(values.offsets.to_numpy(zero_copy_only=False).astype("int64"))
        own = own - own[0]
        offsets = own if offsets is None else own[offsets]
        values = values.flatten()
    if values.null_count:
        places = torch.tensor(_null_rows(values))
        rows = places if offsets is None else torch.searchsorted(offsets, places, right=True) - 1
        return Column(name, odd_rows=tuple(sorted(set(rows.tolist()))))
    numbers = numbers_of_array(values.to_numpy(zero_copy_only=False))
    return None if numbers is None else Column(name, numbers, offsets, path)


def _is_text(kind: Any) -> bool:
    types = sys.modules["pyarrow"].types  # datasets has imported it
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _lengths(values: Any) -> torch.Tensor | None:
    """The bytes of each text."""
    compute = sys.modules.get("pyarrow.compute")
    if compute is None:
        return None
    lengths = compute.binary_length(values.fill_null("")).to_numpy(zero_copy_only=False)
    return torch.as_tensor(lengths.astype("int64"))


def _is_list(kind: Any) -> bool:
    types = sys.modules["pyarrow"].types
    return bool(types.is_list(kind) or types.is_large_list(kind))


def _is_numeric(kind: Any) -> bool:
    """Whether it is a number, or lists of them."""
    while _is_list(kind):
        kind = kind.value_type
    types = sys.modules["pyarrow"].types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def _null_rows(values: Any, rows: Any = None) -> tuple[int, ...]:
    """The rows that are null, of all or of those that the dataset uses."""
    is_null = values.is_null().to_numpy(zero_copy_only=False)
    (found,) = (is_null if rows is None else is_null[rows]).nonzero()
    return tuple(found[:MAX_NULLS].tolist())
