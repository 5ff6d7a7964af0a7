"""With which factor the losses that were computed are part of what backward starts from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from ..facts.calls import LossCall

MAX_RESULTS = 8


@dataclass
class LossResult:
    """What the loss call of this number returned, and the version of that tensor then."""

    number: int
    tensor: torch.Tensor
    version: int

    @property
    def is_unchanged(self) -> bool:
        """Whether it still is what the call returned: `loss += ...` changes it in place."""
        return self.tensor._version == self.version  # noqa: SLF001 - the only way to ask


def result_of(number: int, result: Any) -> list[LossResult]:
    """The result of a loss call as a list of one; empty where no gradient goes through it."""
    if not isinstance(result, torch.Tensor) or result.numel() != 1 or result.grad_fn is None:
        return []
    return [LossResult(number, result, result._version)]  # noqa: SLF001 - likewise


def weigh(losses: list[LossCall], results: list[LossResult], roots: list[torch.Tensor]) -> None:
    """Add to the calls their factors in the sum of `roots`; nothing of the graph is used up."""
    if not roots or any(root.numel() != 1 or root.grad_fn is None for root in roots):
        return
    found = [result for result in results if result.is_unchanged][-MAX_RESULTS:]
    total = sum(float(root.detach()) for root in roots)
    for result, weight in zip(found, _weights(found, roots), strict=True):
        losses[result.number] = replace(losses[result.number], weight=weight, total=total)


def _weights(results: list[LossResult], roots: list[torch.Tensor]) -> list[float | None]:
    if len(results) == len(roots) == 1 and results[0].tensor is roots[0]:
        return [1.0]
    tensors = [result.tensor for result in results]
    try:
        found = torch.autograd.grad(roots, tensors, retain_graph=True, allow_unused=True)
    except RuntimeError:  # what is wrong with the graph is told by the backward itself
        return [None] * len(results)
    return [None if weight is None else float(weight) for weight in found]
