"""Find a value in a batch that is out of all proportion: a fill value that was left in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts.numerics import HugeValue
from .tensor_forms import can_read

if TYPE_CHECKING:
    from .batch_context import BatchContext

# netCDF fills with 9.97e36, others with 1e20 or 1e30; a measurement in any unit is far below.
HUGE = 1e10
TIMES_MEDIAN = 1e6


def find_huge_value(context: BatchContext) -> HugeValue | None:
    """The largest value of the batch where it is huge and the median of its field is not."""
    found: HugeValue | None = None
    for path, tensor in context.tensors:
        if not can_read(tensor) or not tensor.is_floating_point() or not tensor.numel():
            continue
        flat = tensor.detach().flatten().double().nan_to_num(0.0, 0.0, 0.0)
        largest, median = float(flat.abs().max()), float(flat.abs().median())
        if largest < HUGE or largest < TIMES_MEDIAN * median:
            continue
        at = int(flat.abs().argmax())
        if found is None or largest > abs(found.value):
            sample = context.sample_of_row(context.row_of(tensor, at))
            found = HugeValue(path, float(flat[at]), median, sample)
    return found
