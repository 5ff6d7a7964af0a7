"""Look at how large the outputs of all modules are, in one pass over each."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch

from ..facts.ranges import RangeFact, RangeFacts
from ..nested import leaves
from .transforms import is_transforming
from .values import dtype_name

if TYPE_CHECKING:
    from types import TracebackType

    from torch import nn
    from typing_extensions import Self

FP16_LARGEST = 65504.0
# One doubling from the limit.
NEAR = FP16_LARGEST / 2
# Beyond this nothing is computed: masks are filled with the least number of float32 or bfloat16.
FILLED = 1e30
WIDER = frozenset({torch.float32, torch.bfloat16, torch.float64})


class RangeWatch:
    """Hooks on all modules for the time of one batch; a context manager that takes them away.

    Args:
        model: The model.
        batch: Number of the batch.
    """

    def __init__(self, model: nn.Module, batch: int) -> None:
        # Parts compiled by torch.jit.script take no hooks after they were made.
        is_script = torch.jit.ScriptModule
        named = model.named_modules()
        self._names = {m: name for name, m in named if not isinstance(m, is_script)}
        self._batch = batch
        self._largest: dict[str, RangeFact] = {}
        self._seen: dict[int, tuple[weakref.ref[torch.Tensor], float]] = {}
        self._handles: list[Any] = []
        self._has_float16 = False

    def __enter__(self) -> Self:
        self._handles = [module.register_forward_hook(self._look) for module in self._names]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for handle in self._handles:
            handle.remove()

    def facts(self) -> RangeFacts:
        """What was near the limit."""
        return RangeFacts(
            self._batch, tuple(self._largest.values()), len(self._names), self._has_float16
        )

    def _look(self, module: nn.Module, args: Any, output: Any) -> None:
        del args
        if is_transforming():
            return
        for _, value in leaves(output):
            if not isinstance(value, torch.Tensor) or value.dtype not in WIDER:
                self._has_float16 |= getattr(value, "dtype", None) is torch.float16
                continue
            size = self._size_of(value)
            name = self._names[module]
            known = self._largest.get(name)
            if NEAR < size < FILLED and (known is None or size > known.abs_max):
                kind, dtype = type(module).__name__, dtype_name(value.dtype)
                self._largest[name] = RangeFact(name, kind, size, dtype)

    def _size_of(self, value: torch.Tensor) -> float:
        """The largest magnitude; measured once for a tensor that goes through several modules."""
        seen = self._seen.get(id(value))
        if seen is not None and seen[0]() is value:
            return seen[1]
        size = _largest_magnitude(value)
        self._seen[id(value)] = (weakref.ref(value), size)
        return size


def _largest_magnitude(value: torch.Tensor) -> float:
    if value.layout is not torch.strided or value.is_meta or not value.numel() or value.is_nested:
        return 0.0
    with torch.no_grad():
        low, high = torch.aminmax(value.detach())
    return max(-float(low), float(high))
