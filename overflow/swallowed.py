"""Overflows that leave no trace: inf in the middle of a module, finite and wrong at its end.

An operator that overflowed gets a second value in float64, which is carried along through the
operators that follow. Where a module's output is finite but differs from what was carried by more
than ten eps of its largest value, the overflow mattered. Saturation (tanh, softmax) comes out the
same both ways and does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from .operators import Operator, iterate_arguments, iterate_outputs, storage_key
from .recompute import recompute_in_float64

if TYPE_CHECKING:
    from torch._ops import OpOverload

    from .op_record import OpRecord

MAX_EPS = 10
MAX_SHADOWS = 200

_Key = tuple[object, ...]


@dataclass(frozen=True)
class SwallowedOverflow:
    """An overflow whose inf did not arrive, though its consequence did.

    Attributes:
        record: The operator that overflowed.
        module: Qualified name of the module whose output is wrong, "loss" for the loss itself.
        abs_max: Largest magnitude of the output as it was.
        float64_abs_max: Largest magnitude of the output in float64.
    """

    record: OpRecord
    module: str
    abs_max: float
    float64_abs_max: float


class ShadowValues:
    """The float64 values of tensors that come from an operator that overflowed."""

    def __init__(self) -> None:
        self.found: list[SwallowedOverflow] = []
        self.num_not_recomputed = 0
        self._shadows: dict[_Key, tuple[Tensor, Tensor, OpRecord]] = {}

    def start(self, record: OpRecord, outputs: list[Tensor], exact: list[Tensor]) -> None:
        """Begin to carry the exact values of an operator that overflowed."""
        for output, value in zip(outputs, exact, strict=False):
            self._set(output, value, record)

    def follow(
        self,
        operator: Operator,
        func: OpOverload,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
    ) -> None:
        """Carry the exact values through an operator that read some of them."""
        if not self._shadows or torch._C._current_graph_task_id() != -1:  # noqa: SLF001 - forward only
            return
        read = [t for _, t in iterate_arguments(operator, args, kwargs) if _key(t) in self._shadows]
        if not read:
            return
        known = {id(t): self._shadows[_key(t)][1] for t in read}
        record = self._shadows[_key(read[0])][2]
        exact = recompute_in_float64(operator, func, args, kwargs, known)
        if exact is None:
            self.num_not_recomputed += 1
            self._drop([*read, *iterate_outputs(result)] if operator.written else [])
            return
        for output, value in zip(iterate_outputs(result), exact, strict=False):
            self._set(output, value, record)

    def compare(self, output: Tensor, module: str) -> None:
        """Compare a module's output with what was carried; equal ones need no more watching."""
        entry = self._shadows.get(_key(output))
        if entry is None:
            return
        _, exact, record = entry
        actual = output.detach().to(torch.float64)
        if not (bool(torch.isfinite(actual).all()) and bool(torch.isfinite(exact).all())):
            return
        scale = float(exact.abs().max()) if exact.numel() else 0.0
        allowed = MAX_EPS * torch.finfo(output.dtype).eps * scale
        if float((actual - exact).abs().max()) > allowed:
            self.found.append(SwallowedOverflow(record, module, float(actual.abs().max()), scale))
        del self._shadows[_key(output)]

    def _set(self, output: Tensor, value: Tensor, record: OpRecord) -> None:
        if not output.is_floating_point() or len(self._shadows) >= MAX_SHADOWS:
            return
        # the tensor is kept with its shadow, or its memory would soon be another's
        self._shadows[_key(output)] = (output, value, record)

    def _drop(self, tensors: list[Tensor]) -> None:
        gone = {storage_key(tensor) for tensor in tensors}
        self._shadows = {key: kept for key, kept in self._shadows.items() if key[0] not in gone}


def _key(tensor: Tensor) -> _Key:
    """Name a tensor by the memory that it looks at: autograd wraps views anew, so `id` differs."""
    if tensor.layout is not torch.strided or tensor.is_nested:
        return (id(tensor),)
    shape, stride = tuple(tensor.shape), tensor.stride()
    return storage_key(tensor), tensor.storage_offset(), shape, stride, tensor.dtype
