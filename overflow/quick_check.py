"""The cheap question, asked of every tensor while training: is it finite?

Both ways are reductions without temporaries. A sum is finite only if all elements are, and it is up
to ten times faster than `aminmax` on a CPU's one thread; but it can overflow where no element does
(10000 times 60 is inf in float16), so a sum that is not finite only calls for `aminmax`, which
passes nan on and shows both infinities. `max` alone would miss -inf.
"""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import torch
from torch import Tensor

from .readable import is_wrapped, readable_values, stored_values

Tag = TypeVar("Tag")

_FLOATS = frozenset({torch.float16, torch.bfloat16, torch.float32, torch.float64})
_PLAIN_TYPES = frozenset({Tensor, torch.nn.Parameter})


def signed_range(tensor: Tensor) -> tuple[float, float] | None:
    """Give the smallest and largest value of a tensor that can hold nan or inf, else None.

    Both are nan if any element is. Integers, empty tensors and those without values give None.
    """
    values = floating_values(tensor)
    if values is None:
        return None
    low, high = torch.aminmax(values)
    return low.item(), high.item()


def is_finite(tensor: Tensor) -> bool:
    """Tell whether a tensor holds neither nan nor inf."""
    values = floating_values(tensor)
    if values is None or math.isfinite(values.sum().item()):
        return True
    low, high = torch.aminmax(values)
    return math.isfinite(low.item()) and math.isfinite(high.item())


def floating_values(tensor: Tensor) -> Tensor | None:
    """Give the values that `aminmax` is to read, None where nothing could be nan or inf."""
    if (
        type(tensor) in _PLAIN_TYPES
        and tensor.dtype in _FLOATS
        and tensor.layout is torch.strided
        and not tensor.is_meta
        and not is_wrapped(tensor)
    ):
        return tensor if tensor.numel() else None
    return _unusual_values(tensor)


def is_minus_inf_only(low: float, high: float) -> bool:
    """Tell whether a signed range is that of a mask: -inf below, no nan and no inf above."""
    return low == -math.inf and high != math.inf


def _unusual_values(tensor: Tensor) -> Tensor | None:
    if not (tensor.dtype.is_floating_point or tensor.dtype.is_complex):
        return None
    if tensor.dtype.is_complex:
        stored = stored_values(tensor)
        if stored is None or stored.numel() == 0:
            return None
        return torch.view_as_real(stored.resolve_conj())
    return readable_values(tensor)


class FiniteTensors:
    """Remembers which tensors were found finite, so that none is measured twice.

    Keeps no tensor alive. A tensor is known again only while the same object has the same version
    counter; the address alone would be wrong as soon as memory is used again.
    """

    def __init__(self) -> None:
        self._seen: dict[int, tuple[weakref.ref[Tensor], int]] = {}

    def has(self, tensor: Tensor, writes_since: int = 0) -> bool:
        """Tell whether this very tensor was found finite and has been written to so often since."""
        entry = self._seen.get(id(tensor))
        if entry is None or entry[0]() is not tensor or tensor.is_inference():
            return False
        return entry[1] + writes_since == tensor._version  # noqa: SLF001 - public use

    def add(self, tensor: Tensor) -> None:
        """Remember a tensor as finite."""
        if not tensor.is_inference():  # inference tensors count no versions
            self._seen[id(tensor)] = (weakref.ref(tensor), tensor._version)  # noqa: SLF001

    def clear(self) -> None:
        """Forget all, as after an optimizer step: fused ones do not move the version counter."""
        self._seen.clear()


@dataclass
class DeferredChecks(Generic[Tag]):
    """Checks whose answers stay on the device until they are fetched, all at once.

    Each check launches one reduction and waits for nothing; `fetch` makes one transfer.
    """

    _tags: list[Tag] = field(default_factory=list)
    _bounds: dict[tuple[torch.dtype, torch.device], list[Tensor]] = field(default_factory=dict)
    _order: dict[tuple[torch.dtype, torch.device], list[int]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._tags)

    def add(self, tensor: Tensor, tag: Tag) -> None:
        """Measure a tensor and keep the answer where it is."""
        values = floating_values(tensor)
        if values is None:
            return
        key = (values.dtype, values.device)
        self._bounds.setdefault(key, []).extend(torch.aminmax(values))
        self._order.setdefault(key, []).append(len(self._tags))
        self._tags.append(tag)

    def fetch(self) -> list[tuple[Tag, float, float]]:
        """Bring all answers to the host and forget them.

        Returns:
            Tag, smallest and largest value of those that were not finite, oldest first.
        """
        bad: list[tuple[int, float, float]] = []
        for device, keys in self._keys_by_device().items():
            # float64 holds every other dtype's numbers; MPS has none, and no float64 tensors either
            wide = torch.float32 if device.type == "mps" else torch.float64
            parts = [torch.stack(self._bounds[key]).to(wide) for key in keys]
            pairs = torch.cat(parts).view(-1, 2).to("cpu").tolist()
            order = [i for key in keys for i in self._order[key]]
            for i, (low, high) in zip(order, pairs, strict=True):
                if not (math.isfinite(low) and math.isfinite(high)):
                    bad.append((i, low, high))
        found = [(self._tags[i], low, high) for i, low, high in sorted(bad, key=lambda b: b[0])]
        self.clear()
        return found

    def clear(self) -> None:
        """Forget all answers."""
        self._tags.clear()
        self._bounds.clear()
        self._order.clear()

    def _keys_by_device(
        self,
    ) -> dict[torch.device, list[tuple[torch.dtype, torch.device]]]:
        found: dict[torch.device, list[tuple[torch.dtype, torch.device]]] = {}
        for key in self._bounds:
            found.setdefault(key[1], []).append(key)
        return found
