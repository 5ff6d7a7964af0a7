"""The batch at work: which field a tensor came from, and which sample a row is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from ..facts.tensors import TensorFact
from ..nested import leaves
from .tensor_forms import can_read, shape_of
from .values import dtype_name

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_COMPARED = 1_000_000


@dataclass
class BatchContext:
    """The batch at work.

    Attributes:
        number: Counted from 0.
        indices: The samples in it, () where the loader does not say.
        tensors: Its tensors by path.
        names: Names of parameters and buffers by id.
    """

    number: int
    indices: tuple[int, ...]
    batch: Any
    names: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tensors = [(p, t) for p, t in leaves(self.batch) if isinstance(t, torch.Tensor)]

    @property
    def size(self) -> int | None:
        """The number of samples."""
        if self.indices:
            return len(self.indices)
        return next((shape_of(t)[0] for _, t in self.tensors if t.dim()), None)

    def field_of(self, tensor: torch.Tensor) -> tuple[str, torch.Tensor] | None:
        """The batch field that the tensor is, views, or copies; None if it is none."""
        if id(tensor) in self.names:
            return None
        pointer = _pointer(tensor)
        for path, leaf in self.tensors:
            if leaf is tensor or (pointer is not None and pointer == _pointer(leaf)):
                return path, leaf
        for path, leaf in self.tensors:
            if _is_copy(tensor, leaf):
                return path, leaf
        return None

    def fact(self, tensor: torch.Tensor, role: str = "", *, with_range: bool = False) -> TensorFact:
        """The tensor as a fact, named as the user knows it."""
        found = self.field_of(tensor)
        name = self.names.get(id(tensor), "") or (f"batch{found[0]}" if found else "") or role
        low, high = _range(tensor) if with_range else (None, None)
        return TensorFact(
            shape_of(tensor),
            dtype_name(tensor.dtype),
            str(tensor.device),
            name,
            found[0] if found else None,
            tensor.requires_grad,
            low,
            high,
        )

    def sample_of_row(self, row: int | None) -> int | None:
        """The index in the dataset of a row of the batch, None where unknown."""
        if row is None or not self.indices or row >= len(self.indices):
            return None
        return self.indices[row]

    def row_of(self, tensor: torch.Tensor, flat: int) -> int | None:
        """The row of the batch that entry number `flat` of the tensor belongs to."""
        size = self.size
        if not size or not tensor.numel() or tensor.numel() % size:
            return None
        return flat // (tensor.numel() // size)


def _pointer(tensor: torch.Tensor) -> int | None:
    try:
        pointer = tensor.untyped_storage().data_ptr()
    except (RuntimeError, NotImplementedError):
        return None
    return pointer or None


def _is_copy(tensor: torch.Tensor, leaf: torch.Tensor) -> bool:
    if (
        not (can_read(tensor) and can_read(leaf))
        or tensor.numel() != leaf.numel()
        or not tensor.numel()
        or tensor.numel() > MAX_COMPARED
    ):
        return False
    if (
        tensor.requires_grad
        or tensor.is_complex()
        or leaf.is_complex()
        or tensor.device != leaf.device
    ):
        return False
    try:
        same = tensor.detach().reshape(-1).to(torch.float64) == leaf.detach().reshape(-1).to(
            torch.float64
        )
    except (RuntimeError, NotImplementedError):
        return False
    # A field of one value throughout would be taken for any other such field.
    return bool(same.all()) and (
        tensor.numel() == 1 or bool((leaf.reshape(-1) != leaf.reshape(-1)[0]).any())
    )


def _range(tensor: torch.Tensor) -> tuple[float | None, float | None]:
    if not can_read(tensor) or not tensor.numel() or tensor.is_complex():
        return None, None
    try:
        numbers = tensor.detach()
        numbers = numbers[numbers.isfinite()] if numbers.is_floating_point() else numbers
        low, high = numbers.aminmax()
    except (RuntimeError, NotImplementedError):
        return None, None
    return float(low), float(high)
