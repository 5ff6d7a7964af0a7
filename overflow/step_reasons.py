"""Why an optimizer step made weights non-finite although the gradients were all right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .stats import dtype_name

if TYPE_CHECKING:
    from torch import Tensor
    from torch.optim import Optimizer


def explain_step(optimizer: Optimizer, weights: list[Tensor]) -> str:
    """Say which optimizer it was, and whether its eps is zero in the weights' dtype.

    Adam and its kin divide by the root of a mean square plus eps; where that mean is zero and eps
    rounds to zero, the update is 0 / 0.

    Args:
        optimizer: The optimizer that stepped.
        weights: The weights that are not finite now.
    """
    name = type(optimizer).__name__
    said = f"The gradients were finite before the step of {name}."
    dtypes = dict.fromkeys(weight.dtype for weight in weights)
    for group in optimizer.param_groups:
        for dtype in dtypes:
            if _is_lost(group.get("eps"), dtype):
                eps, limit = (
                    group["eps"],
                    torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps,
                )
                return (
                    f"{said} Its eps of {eps:g} is 0 in {dtype_name(dtype)} (smallest positive "
                    f"number {limit:.2g}), so the update divides 0 by 0 where a gradient is 0."
                )
    return said


def _is_lost(eps: object, dtype: torch.dtype) -> bool:
    if not isinstance(eps, float) or eps == 0 or not dtype.is_floating_point:
        return False
    return float(torch.tensor(eps, dtype=dtype)) == 0
