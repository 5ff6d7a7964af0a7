"""The norm of values of any dtype."""

from __future__ import annotations

import torch


def norm_of(values: torch.Tensor) -> torch.Tensor:
    """The Euclidean norm, in float32 or wider, so that half precision does not overflow.

    Returns:
        A real scalar of float32 or float64, also for complex values.
    """
    values = torch.view_as_real(values) if values.is_complex() else values
    wide = torch.promote_types(values.dtype, torch.float32)
    norm: torch.Tensor = torch.linalg.vector_norm(values, dtype=wide)
    return norm
