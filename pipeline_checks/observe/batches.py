"""Look at a batch, and at the samples of one that could not be put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..facts.batches import BatchFact, FieldLengths, LeafFact
from ..nested import container_name, leaves
from .fields import sample_fields
from .tensor_forms import can_read, shape_of
from .values import dtype_name, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..pipeline.draw import Draw

MAX_LEAVES = 200
MAX_NUMBERS = 100_000
MAX_ROWS = 10


def describe_batch(draw: Draw, batch: Any) -> BatchFact:
    """The structure of a batch."""
    return BatchFact(
        number=draw.number,
        indices=draw.indices,
        size=len(draw.indices) or batch_size(batch),
        container=container_name(batch),
        leaves=tuple(leaf_facts(batch)),
        is_last=draw.is_last,
    )


def leaf_facts(value: Any) -> Iterator[LeafFact]:
    """The values in a nested structure."""
    for number, (path, leaf) in enumerate(leaves(value)):
        if number >= MAX_LEAVES:
            return
        if isinstance(leaf, torch.Tensor):
            low, high = _integer_range(leaf)
            yield LeafFact(
                path,
                type(leaf).__name__,
                shape_of(leaf),
                dtype_name(leaf.dtype),
                min=low,
                max=high,
                rows_of_min=_rows_of(leaf, low),
            )
        else:
            read = read_value(leaf)
            yield LeafFact(path, read.kind, read.shape, read.dtype, example=(read.text or "")[:60])


def _integer_range(leaf: torch.Tensor) -> tuple[int | None, int | None]:
    if not can_read(leaf) or leaf.is_floating_point() or leaf.is_complex():
        return None, None
    if leaf.dtype is torch.bool or not 0 < leaf.numel() <= MAX_NUMBERS:
        return None, None
    low, high = leaf.detach().aminmax()
    return int(low), int(high)


def _rows_of(leaf: torch.Tensor, value: int | None) -> tuple[int, ...]:
    if value is None or leaf.dim() != 1:
        return ()
    rows = (leaf.detach() == value).nonzero().flatten()
    return tuple(rows[:MAX_ROWS].tolist())


def batch_size(batch: Any) -> int | None:
    """The size of the first dimension of the first tensor, None without one."""
    for _, leaf in leaves(batch):
        if isinstance(leaf, torch.Tensor) and leaf.dim():
            return shape_of(leaf)[0]
    return None


def sample_sizes(samples: list[Any]) -> tuple[FieldLengths, ...]:
    """Kind and shape of every field in every sample of a batch."""
    fields: dict[str, dict[int, Any]] = {}
    for number, sample in enumerate(samples):
        for path, item in sample_fields(sample):
            fields.setdefault(path, {})[number] = read_value(item)
    return tuple(
        FieldLengths(
            path,
            tuple(values[n].kind if n in values else "missing" for n in range(len(samples))),
            tuple(values[n].shape if n in values else None for n in range(len(samples))),
        )
        for path, values in fields.items()
    )
