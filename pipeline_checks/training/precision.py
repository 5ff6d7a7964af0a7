"""Autocast and the gradient scaler that belong to a precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


def autocast_to(precision: str, device: str) -> AbstractContextManager[object]:
    """Autocast on the device to `bf16` or `fp16`; `fp32` changes nothing."""
    return torch.autocast(
        torch.device(device).type,
        dtype=_DTYPES.get(precision, torch.bfloat16),
        enabled=precision in _DTYPES,
    )


def make_scaler(precision: str, device: str) -> torch.amp.GradScaler | None:
    """The scaler that `fp16` needs, whose gradients would underflow below 6e-8; else None."""
    if precision != "fp16":
        return None
    return torch.amp.GradScaler(torch.device(device).type)
