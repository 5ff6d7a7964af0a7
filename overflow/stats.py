"""Numbers that describe one tensor, worked out where someone will read them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from .readable import readable_values, stored_values

# A float16 keeps 2**-24 as its smallest subnormal; half of it and less rounds to zero (IEEE 754).
FP16_ROUNDS_TO_ZERO = 2.0**-25


@dataclass(frozen=True)
class TensorStats:
    """What one tensor held when it was measured.

    Attributes:
        shape: Size of each dimension.
        dtype: Name of the element type without the `torch.` in front, e.g. `float16`.
        abs_min: Smallest magnitude; `nan` if any element is nan.
        abs_max: Largest magnitude; `nan` if any element is nan.
        nan_count: Number of elements that are nan.
        inf_count: Number of elements that are inf or -inf.
        minus_inf_count: Number of elements that are -inf.
        finite_abs_max: Largest magnitude among the finite elements, 0.0 if there is none.
        zero_share: Share of elements that are exactly zero, 0 to 1.
        subnormal_share: Share of elements below the dtype's smallest normal number, zeros left out.
        fp16_zero_share: Share of elements that are not zero here and would be zero in float16.
    """

    shape: tuple[int, ...]
    dtype: str
    abs_min: float
    abs_max: float
    nan_count: int = 0
    inf_count: int = 0
    minus_inf_count: int = 0
    finite_abs_max: float = 0.0
    zero_share: float = 0.0
    subnormal_share: float = 0.0
    fp16_zero_share: float = 0.0

    @property
    def is_finite(self) -> bool:
        """Whether the tensor held neither nan nor inf."""
        return self.nan_count == 0 and self.inf_count == 0

    @property
    def is_minus_inf_only(self) -> bool:
        """Whether -inf is the only non-finite value, as in an attention mask."""
        return self.nan_count == 0 and self.inf_count == self.minus_inf_count > 0


def measure(tensor: torch.Tensor) -> TensorStats | None:
    """Measure a tensor of any kind.

    The pair (`abs_min`, `abs_max`) is that of `tensor.abs()`: magnitudes of complex numbers, 0 and
    1 for bool, both `nan` as soon as one element is nan. Sparse tensors are measured on their
    stored values, quantized ones on the numbers they stand for.

    Args:
        tensor: Any tensor, of any shape, device and layout.

    Returns:
        Its stats, or None where there is no value to look at (empty, meta, fake, inside vmap).
    """
    with torch.no_grad():
        values = readable_values(tensor)
        if values is None:
            return None
        shape, dtype = known_shape(tensor), dtype_name(tensor.dtype)
        if not values.is_floating_point():
            return _measure_integers(values, shape, dtype)
        return _measure_floats(values, shape, dtype, tensor)


def known_shape(tensor: torch.Tensor) -> tuple[int, ...]:
    """Give a tensor's sizes, -1 for a dimension that differs between the rows of a nested one."""
    if tensor.is_nested and tensor.layout is torch.strided:
        return (tensor.size(0), *(-1 for _ in range(tensor.dim() - 1)))
    return tuple(size if type(size) is int else -1 for size in tensor.shape)


def dtype_name(dtype: torch.dtype) -> str:
    """Give a dtype's name without `torch.`.

    Example:
        >>> dtype_name(torch.float16)
        'float16'
    """
    return str(dtype).removeprefix("torch.")


def largest_finite(dtype: str) -> float | None:
    """Give the largest finite number of a dtype named as in `TensorStats`, None for integers.

    Example:
        >>> largest_finite("float16")
        65504.0
    """
    found = getattr(torch, dtype, None)
    if not isinstance(found, torch.dtype) or not (found.is_floating_point or found.is_complex):
        return None
    return float(torch.finfo(found).max)


def _measure_integers(values: torch.Tensor, shape: tuple[int, ...], dtype: str) -> TensorStats:
    low, high = (int(bound) for bound in torch.aminmax(values))
    zero_share = 1 - int(values.count_nonzero()) / values.numel()
    if low > 0 or high < 0:
        abs_min = min(abs(low), abs(high))
    elif zero_share:
        abs_min = 0
    else:  # the magnitude of the most negative integer does not fit its own dtype
        floor = torch.iinfo(values.dtype).min + 1
        abs_min = int(values.clamp(min=floor).abs().min())
    abs_max = float(max(abs(low), abs(high)))
    return TensorStats(
        shape, dtype, float(abs_min), abs_max, finite_abs_max=abs_max, zero_share=zero_share
    )


def _measure_floats(
    values: torch.Tensor, shape: tuple[int, ...], dtype: str, tensor: torch.Tensor
) -> TensorStats:
    stored = tensor.dtype
    magnitudes = values.abs()
    low, high = (float(bound) for bound in torch.aminmax(magnitudes))
    total = values.numel()
    nonzero = int(magnitudes.count_nonzero())
    tiny = torch.finfo(stored).tiny if stored.is_floating_point else torch.finfo(values.dtype).tiny
    small = _count_between_zero_and(magnitudes, tiny) if low < tiny else 0
    lost = 0
    if low <= FP16_ROUNDS_TO_ZERO and stored is not torch.float16:
        lost = _count_between_zero_and(magnitudes, FP16_ROUNDS_TO_ZERO, inclusive=True)
    shares = (1 - nonzero / total, small / total, lost / total)
    if math.isfinite(high):
        return TensorStats(shape, dtype, low, high, 0, 0, 0, high, *shares)
    if stored.is_complex:  # both parts may be finite where the magnitude is not
        values = _stored(tensor)
    return _measure_non_finite(values, magnitudes, TensorStats(shape, dtype, low, high), shares)


def _stored(tensor: torch.Tensor) -> torch.Tensor:
    values = stored_values(tensor)
    return tensor if values is None else values


def _measure_non_finite(
    values: torch.Tensor,
    magnitudes: torch.Tensor,
    known: TensorStats,
    shares: tuple[float, float, float],
) -> TensorStats:
    finite = magnitudes[torch.isfinite(magnitudes)]
    if math.isnan(known.abs_max):
        zeros = float((magnitudes == 0).sum()) / values.numel()
        shares = (zeros, *shares[1:])
    return TensorStats(
        known.shape,
        known.dtype,
        known.abs_min,
        known.abs_max,
        int(torch.isnan(values).sum()),
        int(torch.isinf(values).sum()),
        0 if values.is_complex() else int(torch.isneginf(values).sum()),
        float(finite.max()) if finite.numel() else 0.0,
        *shares,
    )


def _count_between_zero_and(
    magnitudes: torch.Tensor, bound: float, *, inclusive: bool = False
) -> int:
    below = magnitudes <= bound if inclusive else magnitudes < bound
    return int((below & (magnitudes > 0)).sum())
