"""Tensors that are more than an array of numbers: nested ones, and repetition without memory."""

from __future__ import annotations

import torch

# Where repetition counts: more numbers than any sample holds in memory of its own.
MANY = 100_000_000


def shape_of(tensor: torch.Tensor) -> tuple[int, ...]:
    """Its shape; only the number of its parts where it is nested, for which torch has no other."""
    return (int(tensor.size(0)),) if tensor.is_nested else tuple(tensor.shape)


def can_read(tensor: torch.Tensor) -> bool:
    """Whether it is a plain array whose numbers are there."""
    is_plain = tensor.layout is torch.strided and not tensor.is_quantized and not tensor.is_nested
    return is_plain and tensor.device.type != "meta"


def without_repetition(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor; if it is huge, one of each numbers that `expand` repeats without memory."""
    if tensor.numel() <= MANY:
        return tensor
    for dimension, (size, stride) in enumerate(zip(tensor.shape, tensor.stride(), strict=True)):
        if size > 1 and stride == 0:
            tensor = tensor.narrow(dimension, 0, 1)
    return tensor
