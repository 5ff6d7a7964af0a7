"""The cheap question asked of many tensors at once: which of them are not finite?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from .quick_check import is_finite
from .readable import is_wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

# Above this many elements a reduction of its own reads memory faster than a grouped one.
_MAX_GROUPED = 2**18

# Norms of float16 on the CPU run at a tenth of the speed of other sums, so it is not grouped.
_GROUPED_DTYPES = frozenset({torch.float32, torch.bfloat16, torch.float64})


def find_non_finite(tensors: Sequence[Tensor]) -> list[int]:
    """Give the positions of the tensors that hold nan or inf.

    Small tensors are asked together: their 2-norms are not finite if any of them is not. A norm can
    also overflow where the elements do not, so a group that fails is asked again one by one.

    Args:
        tensors: Parameters or gradients, of any dtype and layout; without gradient recording.
    """
    groups: dict[tuple[torch.dtype, torch.device], list[int]] = {}
    alone: list[int] = []
    for i, tensor in enumerate(tensors):
        if _can_be_grouped(tensor):
            groups.setdefault((tensor.dtype, tensor.device), []).append(i)
        else:
            alone.append(i)
    for members in groups.values():
        norms = torch._foreach_norm([tensors[i] for i in members])  # noqa: SLF001 # pyright: ignore[reportPrivateImportUsage] # public only summed
        if not math.isfinite(torch.stack(norms).sum().item()):
            alone += members
    return sorted(i for i in alone if not is_finite(tensors[i]))


def _can_be_grouped(tensor: Tensor) -> bool:
    return (
        tensor.dtype in _GROUPED_DTYPES
        and tensor.layout is torch.strided
        and not tensor.is_meta
        and not is_wrapped(tensor)
        and 0 < tensor.numel() <= _MAX_GROUPED
        and type(tensor) in {torch.Tensor, torch.nn.Parameter}
    )
