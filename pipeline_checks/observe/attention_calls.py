"""Look at the mask that attention is called with: does it hide the padding, or the text?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..facts.calls import AttentionCall
from .padding import judge_mask

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .batch_context import BatchContext
    from .failed_call import TorchCall
    from .modules import ModuleWatch

# What is hidden with a float mask is at -inf, or far below any score.
HIDING = -1e4
MATRIX, WITH_HEADS = 2, 4


def look_at_attention(
    call: TorchCall, context: BatchContext, modules: ModuleWatch
) -> AttentionCall | None:
    """The call, if its mask hides the padding of a field of the batch, or everything else."""
    kept = KEPT_BY[call.name](call)
    if kept is None:
        return None
    found = [(path, judge_mask(kept, one)) for path, one in _sequences(kept, context)]
    verdicts = [(path, verdict) for path, verdict in found if verdict is not None]
    if not verdicts:
        return None
    path, verdict = min(verdicts, key=lambda pair: pair[1].is_inverted)
    module, _ = modules.innermost
    return AttentionCall(
        batch=context.number,
        function=call.name,
        module=module or "",
        field=path,
        is_inverted=verdict.is_inverted,
        num_kept=verdict.num_kept,
        num_hidden=verdict.num_hidden,
        padding=verdict.content,
        location=modules.code.caller(),
    )


def _sequences(kept: torch.Tensor, context: BatchContext) -> Iterator[tuple[str, torch.Tensor]]:
    """Fields of the batch with one entry a position, the batch first."""
    for path, tensor in context.tensors:
        if tensor.dim() >= MATRIX and tensor.layout is torch.strided:
            if tensor.shape[:2] == kept.shape:
                yield path, tensor.detach()
            elif tensor.shape[:2] == kept.shape[::-1]:
                yield path, tensor.detach().transpose(0, 1)


def _kept_by_padding_mask(call: TorchCall) -> torch.Tensor | None:
    """Where `key_padding_mask`, `(batch, seq)`, is not True (or not -inf)."""
    mask = call.kwargs.get("key_padding_mask")
    if not isinstance(mask, torch.Tensor) or mask.dim() != MATRIX:
        return None
    return mask > HIDING if mask.is_floating_point() else ~mask.bool()


def _kept_by_mask(call: TorchCall) -> torch.Tensor | None:
    """Where `attn_mask`, `(batch, heads, queries, seq)`, lets some query look."""
    place = 3
    mask = call.args[place] if len(call.args) > place else call.kwargs.get("attn_mask")
    if not isinstance(mask, torch.Tensor) or mask.dim() != WITH_HEADS:
        return None
    is_kept = mask > HIDING if mask.is_floating_point() else mask.bool()
    return is_kept.flatten(1, 2).any(dim=1)


KEPT_BY = {
    "multi_head_attention_forward": _kept_by_padding_mask,
    "scaled_dot_product_attention": _kept_by_mask,
}
ATTENTIONS = frozenset(KEPT_BY)
