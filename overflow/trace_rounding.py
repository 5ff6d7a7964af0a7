"""How far two traces of the same run may be apart by rounding alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import torch

if TYPE_CHECKING:
    from collections.abc import Collection

    from .frames import Frame, Row
    from .stats import TensorStats

# How many eps one module may add. What several modules add grows with the root of their number, as
# rounding errors of either sign do (Higham and Mary, https://doi.org/10.1137/18M1226312). On BERT,
# GPT-2, T5, Llama, ViT and ResNet of up to 130 modules, each traced in two precisions, the largest
# magnitudes parted by at most 0.6 eps times that root where the coarser dtype was float16 or
# bfloat16, whose sums are float32, and by 3.8 where it was float32, which rounds in each sum. These
# are four times as much; torch.testing.assert_close allows one operator 1, 2 and 11 eps.
EPS_A_MODULE = 2.0
EPS_A_MODULE_WIDE = 16.0
WIDE = frozenset({torch.float32, torch.float64, torch.complex64, torch.complex128})
# Converting a weight rounds it by half an eps.
EPS_OF_WEIGHT = 1.0
# After each batch of training comes a backward, as deep as two forwards.
PASSES_A_BATCH = 3
# What is half as large, or twice, is no rounding, however many batches came before.
MOST_ALLOWED = 0.5

_Rows: TypeAlias = "Collection[tuple[Frame, Row]]"


class Rounding:
    """How far two traces may be apart by rounding alone, told value by value in their order.

    Args:
        left: The values of the first trace, each with its frame, in their order.
        right: Those of the second.
    """

    def __init__(self, left: _Rows, right: _Rows) -> None:
        self._one_module = max(_before(left), _before(right))
        num_frames = len({id(frame) for frame, _ in left})
        num_batches = len({frame.batch_number for frame, _ in left})
        self._frames_a_batch = num_frames / max(num_batches, 1)
        self._num_frames = 0
        self._frame: Frame | None = None

    def allowed(self, frame: Frame, a: Row, b: Row) -> float:
        """Give the relative difference that one value may have; asked once for each."""
        if frame is not self._frame:
            self._num_frames = 1 if self._is_new_batch(frame) else self._num_frames + 1
            self._frame = frame
        self._one_module = max(self._one_module, _a_module(a.stats), _a_module(b.stats))
        if a.kind == "weight" and not has_stepped(frame):
            return EPS_OF_WEIGHT * max(_eps(a.stats), _eps(b.stats))
        before = PASSES_A_BATCH * self._frames_a_batch * (frame.batch_number or 0)
        return min(self._one_module * math.sqrt(before + self._num_frames), MOST_ALLOWED)

    def _is_new_batch(self, frame: Frame) -> bool:
        return self._frame is None or self._frame.batch_number != frame.batch_number


def has_stepped(frame: Frame) -> bool:
    """Tell whether an optimizer may have changed the weights before this frame."""
    return bool(frame.batch_number)


def _before(rows: _Rows) -> float:
    """Tell what one module may add before the first of a trace: nothing at a batch's start."""
    if any(frame.starts_batch for frame, _ in rows):
        return 0.0
    return max((_a_module(row.stats) for _, row in rows), default=0.0)


def _a_module(stats: TensorStats | None) -> float:
    """Give the relative difference that one module may add where it holds such a value."""
    return (EPS_A_MODULE_WIDE if _dtype(stats) in WIDE else EPS_A_MODULE) * _eps(stats)


def _eps(stats: TensorStats | None) -> float:
    dtype = _dtype(stats)
    if dtype is None or not (dtype.is_floating_point or dtype.is_complex):
        return 0.0
    return float(torch.finfo(dtype).eps)


def _dtype(stats: TensorStats | None) -> torch.dtype | None:
    dtype = None if stats is None else getattr(torch, stats.dtype, None)
    return dtype if isinstance(dtype, torch.dtype) else None
