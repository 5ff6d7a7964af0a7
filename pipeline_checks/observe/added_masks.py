"""Look for float masks of zeros and ones, which attention adds to the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..facts.calls import AddedMask
from .padding import is_at_one_end

if TYPE_CHECKING:
    from .batch_context import BatchContext
    from .failed_call import TorchCall
    from .modules import ModuleWatch

PLACE_OF_MASK = 3
MATRIX = 2


def look_at_added_mask(
    call: TorchCall, context: BatchContext, modules: ModuleWatch
) -> AddedMask | None:
    """The first mask of the call that was meant to hide something and hides nothing."""
    for argument, mask in _masks(call).items():
        kind = _kind(mask, argument)
        if kind:
            module, _ = modules.innermost
            return AddedMask(
                batch=context.number,
                function=call.name,
                module=module or "",
                argument=argument,
                kind=kind,
                mask=context.fact(mask, argument),
                location=modules.code.caller(),
            )
    return None


def _masks(call: TorchCall) -> dict[str, torch.Tensor]:
    given = {key: call.kwargs.get(key) for key in ("attn_mask", "key_padding_mask")}
    if call.name == "scaled_dot_product_attention" and len(call.args) > PLACE_OF_MASK:
        given["attn_mask"] = call.args[PLACE_OF_MASK]
    return {key: mask for key, mask in given.items() if isinstance(mask, torch.Tensor)}


def _kind(mask: torch.Tensor, argument: str) -> str:
    """`causal` or `padding` where that is its form; "" for what may be a bias that is meant.

    The neighbours in a graph, say, are often added to the scores as ones.
    """
    if mask.dim() < MATRIX or not _is_of_flags(mask):
        return ""
    if argument != "key_padding_mask" and _is_triangle(mask):
        return "causal"
    is_of_keys = argument == "key_padding_mask" or bool((mask == mask[..., :1, :]).all())
    return "padding" if is_of_keys and is_at_one_end(mask) else ""


def _is_triangle(mask: torch.Tensor) -> bool:
    """Whether all that comes before the diagonal is 1 and all after it 0, or the other way round.

    The edges of a graph without cycles fill a part of the triangle.
    """
    size = mask.shape[-1]
    if mask.shape[-2] != size or size < MATRIX:
        return False
    row, column = torch.triu_indices(size, size, 1, device=mask.device)
    after, before = mask[..., row, column], mask[..., column, row]
    return any(
        bool(full.all()) and not bool(empty.any())
        for full, empty in ((after, before), (before, after))
    )


def _is_of_flags(mask: torch.Tensor) -> bool:
    if not mask.is_floating_point() or mask.requires_grad or mask.device.type == "meta":
        return False
    is_one = mask == 1
    return bool(((mask == 0) | is_one).all()) and bool(is_one.any()) and not bool(is_one.all())
