"""Look at products of losses and weights of which each sample meets each other one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from ..facts.calls import SpreadCall

if TYPE_CHECKING:
    import weakref

    from .batch_context import BatchContext
    from .failed_call import TorchCall
    from .modules import ModuleWatch

PRODUCTS = {
    **dict.fromkeys(("mul", "multiply", "__mul__", "__rmul__"), "mul"),
    **dict.fromkeys(("div", "divide", "true_divide", "__truediv__", "__div__"), "div"),
}
REDUCTIONS = frozenset({"mean", "sum"})
OVER_SOME = frozenset({"dim", "axis"})
PAIR = 2


@dataclass
class Product:
    """A product [N, N] of [N] and [N, 1], and how it was made."""

    result: weakref.ref[torch.Tensor]
    spread: SpreadCall

    def spread_if_reduced(self, call: TorchCall) -> SpreadCall | None:
        """How the product was made if it is now averaged or summed as a whole, else None.

        That is the product of both averages, or sums: what was per sample no longer is. Nobody
        means that, where a product of all pairs that is used otherwise may well be meant.
        """
        is_whole = len(call.args) == 1 and not OVER_SOME & call.kwargs.keys()
        return self.spread if is_whole and call.args[0] is self.result() else None


def look_at_product(
    call: TorchCall, context: BatchContext, modules: ModuleWatch
) -> SpreadCall | None:
    """Values of the samples, with a gradient, and other ones without; [N] and [N, 1]; else None.

    Inside the model the others must be a field of the batch.
    """
    pair = call.args[:PAIR]
    if len(pair) < PAIR or not all(isinstance(entry, torch.Tensor) for entry in pair):
        return None
    rows = context.size
    if not rows or rows == 1 or {one.shape for one in pair} != {(rows,), (rows, 1)}:
        return None
    function = PRODUCTS[call.name]
    losses, weights = pair if pair[0].requires_grad or function == "div" else pair[::-1]
    if not losses.requires_grad or weights.requires_grad:
        return None
    weight = context.fact(weights, "the weights")
    if weight.field is None and modules.is_in_model():
        return None
    loss = context.fact(losses, "the losses")
    return SpreadCall(context.number, loss, weight, modules.code.caller(), function)
