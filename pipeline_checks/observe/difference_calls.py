"""Look at differences of output and target that a loss written by hand takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..facts.calls import SpreadCall

if TYPE_CHECKING:
    from .batch_context import BatchContext
    from .modules import ModuleWatch

DIFFERENCES = {"sub", "__sub__", "__rsub__", "rsub"}
PAIR = 2


def look_at_difference(
    args: tuple[Any, ...], context: BatchContext, modules: ModuleWatch
) -> SpreadCall | None:
    """The model's own output [N, 1] against a field [N] of the batch, as it came; else None.

    What was reshaped in between, as for all pairs of a ranking, is meant.
    """
    if len(args) < PAIR or modules.is_in_model():
        return None
    for output, target in (args[:PAIR], args[:PAIR][::-1]):
        if output is not modules.output or not isinstance(target, torch.Tensor):
            continue
        rows = context.size
        is_column = output.shape == (rows, 1) and rows != 1
        if is_column and target.shape == (rows,) and any(target is t for _, t in context.tensors):
            return SpreadCall(
                context.number,
                context.fact(output, "the output"),
                context.fact(target, "the target"),
                modules.code.caller(),
            )
    return None
