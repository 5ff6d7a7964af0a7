"""Look at a call of an embedding before it can raise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..facts.calls import BadEntry, EmbeddingCall

if TYPE_CHECKING:
    from .batch_context import BatchContext
    from .modules import ModuleWatch


def look_at_embedding(
    args: tuple[Any, ...], kwargs: dict[str, Any], context: BatchContext, modules: ModuleWatch
) -> EmbeddingCall | None:
    """The call, if an entry has no row; None if all have one."""
    ids = args[0] if args else kwargs.get("input")
    weight = args[1] if len(args) > 1 else kwargs.get("weight")
    if not isinstance(ids, torch.Tensor) or not isinstance(weight, torch.Tensor) or not ids.numel():
        return None
    if ids.is_floating_point() or ids.is_complex() or ids.device.type == "meta":
        return None
    rows = int(weight.shape[0])
    low, high = (int(x) for x in ids.aminmax())
    if low >= 0 and high < rows:
        return None
    name, _ = modules.innermost
    return EmbeddingCall(
        batch=context.number,
        module=name or "",
        rows=rows,
        bad=bad_entry(ids, (ids < 0) | (ids >= rows), context),
        min=low,
        max=high,
        input=context.fact(ids, "input"),
        location=modules.code.caller(),
    )


def bad_entry(tensor: torch.Tensor, mask: torch.Tensor, context: BatchContext) -> BadEntry:
    """The first entry of the tensor where the mask is true, with its row and sample.

    Where the tensor came from a batch field, the field itself says which row; a tensor of another
    size (flattened, shifted) is divided evenly among the rows where that is possible.
    """
    flat = mask.reshape(-1).nonzero().flatten()
    first = int(flat[0])
    row = context.row_of(tensor, first)
    found = [context.row_of(tensor, int(f)) for f in flat[:10_000]]
    rows = {r for r in found if r is not None}
    return BadEntry(
        value=float(tensor.reshape(-1)[first]),
        row=row,
        index=context.sample_of_row(row),
        num_bad=int(flat.numel()),
        num_rows=max(len(rows), 1),
    )
