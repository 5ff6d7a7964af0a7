"""Overflows that leave no trace: inf in the middle of a module, finite and wrong at its end.

An operator that overflowed gets two more values in float64: what it would have given there, and
what it did give. Both are carried along through the operators that follow, so that they differ by
the overflow alone and not by rounding. Where a module's output is finite but the two differ by more
than ten eps of its largest value, the overflow mattered. Saturation (tanh, softmax) and a clamp
come out the same both ways and do not; nor does what never reaches the loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from .operators import Operator, iterate_arguments, iterate_outputs, storage_key
from .recompute import recompute_in_float64

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch._ops import OpOverload

    from .op_record import OpRecord

MAX_EPS = 10
MAX_SHADOW_BYTES = 1 << 29
# Whoever bounds an infinity knows of it and has said what is to stand in its place.
_BOUNDS = frozenset({"nan_to_num", "clamp", "clamp_min", "clamp_max", "hardtanh", "minimum"})

_Key = tuple[object, ...]


@dataclass(frozen=True)
class SwallowedOverflow:
    """An overflow whose inf did not arrive, though its consequence did.

    Attributes:
        record: The operator that overflowed.
        module: Qualified name of the module whose output is wrong, "loss" for the loss itself.
        became: The element of that output which is furthest from the truth.
        should_be: The same element in float64.
        num_wrong: How many elements of that output are wrong.
        num_elements: How many it has.
    """

    record: OpRecord
    module: str
    became: float
    should_be: float
    num_wrong: int
    num_elements: int


@dataclass(frozen=True)
class _Shadow:
    """A tensor with its two values in float64: without the overflow and with it."""

    tensor: Tensor  # kept, or its memory would soon be another's
    exact: Tensor
    overflowed: Tensor
    record: OpRecord

    @property
    def num_bytes(self) -> int:
        return self.exact.nbytes + self.overflowed.nbytes


class ShadowValues:
    """The float64 values of tensors that come from an operator that overflowed."""

    def __init__(self) -> None:
        self.found: list[SwallowedOverflow] = []
        self.num_not_recomputed = 0
        self._shadows: dict[_Key, _Shadow] = {}
        self._num_bytes = 0
        self._lost: set[int] = set()

    def start(self, record: OpRecord, outputs: list[Tensor], exact: list[Tensor]) -> None:
        """Begin to carry the values of an operator that overflowed."""
        for output, value in zip(outputs, exact, strict=False):
            self._set(_Shadow(output, value, output.detach().to(torch.float64), record))

    def follow(
        self,
        operator: Operator,
        func: OpOverload,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
    ) -> None:
        """Carry the two values through an operator that read some of them."""
        if not self._shadows or torch._C._current_graph_task_id() != -1:  # noqa: SLF001 - forward only
            return
        arguments = iterate_arguments(operator, args, kwargs)
        read = {id(t): s for _, t in arguments if (s := self._shadows.get(_key(t))) is not None}
        if not read:
            return
        if operator.name.rstrip("_") in _BOUNDS and _is_bounded(operator, read.values(), result):
            self._drop(iterate_outputs(result))
            return
        known = {name: shadow.exact for name, shadow in read.items()}
        exact = recompute_in_float64(operator, func, args, kwargs, known)
        known = {name: shadow.overflowed for name, shadow in read.items()}
        overflowed = recompute_in_float64(operator, func, args, kwargs, known) if exact else None
        if exact is None or overflowed is None:
            self._lose(operator, list(read.values()), result)
            return
        record = next(iter(read.values())).record
        for output, a, b in zip(iterate_outputs(result), exact, overflowed, strict=False):
            self._set(_Shadow(output, a, b, record))

    def compare(self, output: Tensor, module: str) -> None:
        """Compare the two values of a module's output."""
        shadow = self._shadows.get(_key(output))
        if shadow is None or not shadow.exact.numel():
            return
        values = (output.detach(), shadow.exact, shadow.overflowed)
        if not all(bool(torch.isfinite(value).all()) for value in values):
            return
        difference = (shadow.exact - shadow.overflowed).abs()
        allowed = _allowed(shadow)
        num_wrong = int((difference > allowed).sum())
        if not num_wrong:
            return
        worst = int(difference.argmax())
        became, should_be = (float(v.reshape(-1)[worst]) for v in values[:2])
        found = SwallowedOverflow(
            shadow.record, module, became, should_be, num_wrong, difference.numel()
        )
        self.found.append(found)

    def settle(self, results: Iterable[Tensor]) -> list[SwallowedOverflow]:
        """Give the overflows that changed a module's output and may have changed the run's result.

        Args:
            results: The loss, or what else the run gave; without any every overflow counts.
        """
        tensors = list(results)
        has_changed = not tensors or any(_key(tensor) in self._shadows for tensor in tensors)
        return [f for f in self.found if has_changed or f.record.index in self._lost]

    def _lose(self, operator: Operator, read: list[_Shadow], result: Any) -> None:
        self.num_not_recomputed += 1
        self._lost.update(shadow.record.index for shadow in read)
        if operator.written:
            self._drop([*(shadow.tensor for shadow in read), *iterate_outputs(result)])

    def _set(self, shadow: _Shadow) -> None:
        if not shadow.tensor.is_floating_point() or _is_same(shadow):
            return
        before = self._shadows.pop(_key(shadow.tensor), None)
        self._num_bytes -= before.num_bytes if before is not None else 0
        if self._num_bytes + shadow.num_bytes > MAX_SHADOW_BYTES:
            self.num_not_recomputed += 1
            self._lost.add(shadow.record.index)
            return
        self._num_bytes += shadow.num_bytes
        self._shadows[_key(shadow.tensor)] = shadow

    def _drop(self, tensors: Iterable[Tensor]) -> None:
        gone = {storage_key(tensor) for tensor in tensors}
        self._shadows = {key: kept for key, kept in self._shadows.items() if key[0] not in gone}
        self._num_bytes = sum(shadow.num_bytes for shadow in self._shadows.values())


def _is_bounded(operator: Operator, read: Iterable[_Shadow], result: Any) -> bool:
    """Tell whether a bound took the infinities away; what it wrote over can no longer be asked."""
    was_finite = all(bool(torch.isfinite(shadow.tensor).all()) for shadow in read)
    is_finite = all(bool(torch.isfinite(output).all()) for output in iterate_outputs(result))
    return is_finite and (bool(operator.written) or not was_finite)


def _allowed(shadow: _Shadow) -> float:
    """Give the difference that does not matter, by the coarser of the two dtypes at work."""
    began = shadow.record.output
    dtypes = {shadow.tensor.dtype, getattr(torch, began.dtype) if began else shadow.tensor.dtype}
    eps = max(torch.finfo(dtype).eps for dtype in dtypes)
    # What the dtype holds as a subnormal or not at all is its underflow, no overflow.
    tiny = max(torch.finfo(dtype).tiny for dtype in dtypes)
    return float(max(MAX_EPS * eps * float(shadow.exact.abs().max()), tiny))


def _is_same(shadow: _Shadow) -> bool:
    """Tell whether the overflow no longer shows: every element would round to the same number."""
    exact, overflowed = shadow.exact, shadow.overflowed
    half_eps = torch.finfo(shadow.tensor.dtype).eps / 2
    is_close = (exact - overflowed).abs() <= half_eps * exact.abs()
    is_both_nan = exact.isnan() & overflowed.isnan()
    return bool(((exact == overflowed) | is_both_nan | is_close).all())


def _key(tensor: Tensor) -> _Key:
    """Name a tensor by the memory that it looks at: autograd wraps views anew, so `id` differs."""
    if tensor.layout is not torch.strided or tensor.is_nested:
        return (id(tensor),)
    shape, stride = tuple(tensor.shape), tensor.stride()
    return storage_key(tensor), tensor.storage_offset(), shape, stride, tensor.dtype
