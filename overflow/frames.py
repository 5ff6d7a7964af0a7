"""What is recorded at one module's forward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import torch
from torch import nn

from .nested import walk_leaves
from .stats import TensorStats, measure

if TYPE_CHECKING:
    from collections.abc import Iterator

RowKind = Literal["weight", "buffer", "input", "output", "gradient"]


@dataclass(frozen=True)
class Row:
    """One line of a frame.

    Attributes:
        context: The value's name inside the frame: `weight`, `input[0]`, `output[logits]`.
        kind: What the value is to the module.
        stats: Its numbers, None where there are none.
        note: What stands in the line where there are no numbers: `None`, `not a tensor`, `empty`.
    """

    context: str
    kind: RowKind
    stats: TensorStats | None
    note: str = ""

    @property
    def is_finite(self) -> bool:
        """Whether the row holds neither nan nor inf; a row without numbers is finite."""
        return self.stats is None or self.stats.is_finite


@dataclass(frozen=True)
class Frame:
    """One forward of one module: its name, class, and a row for each value that it touched.

    Attributes:
        module: Qualified name, empty for the watched model itself.
        module_class: Name of the module's class.
        batch_number: The batch it belongs to, counted from 0; None outside any batch.
        rows: Weights, buffers, inputs and outputs, in this order.
        starts_batch: Whether it is the first frame of its batch.
    """

    module: str
    module_class: str
    batch_number: int | None
    rows: tuple[Row, ...]
    starts_batch: bool = False

    @property
    def bad_rows(self) -> tuple[Row, ...]:
        """The rows that hold nan or inf."""
        return tuple(row for row in self.rows if not row.is_finite)


class ModuleCall(NamedTuple):
    """One finished forward, as a hook sees it; a tuple, as one is made at every module."""

    module: nn.Module
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    output: Any


def build_frame(call: ModuleCall, batch_number: int | None, *, starts_batch: bool = False) -> Frame:
    """Measure everything that a module touched in one forward."""
    rows = tuple(_build_row(*value) for value in iterate_values(call))
    name = type(call.module).__name__
    return Frame(call.name, name, batch_number, rows, starts_batch=starts_batch)


def iterate_values(call: ModuleCall) -> Iterator[tuple[str, RowKind, Any]]:
    """Yield context, kind and value of all that a frame shows, in its order."""
    for name, parameter in call.module.named_parameters(recurse=False):
        yield name, "weight", parameter
    for name, buffer in call.module.named_buffers(recurse=False):
        if buffer.is_floating_point() or buffer.is_complex():
            yield name, "buffer", buffer
    for i, value in enumerate(call.args):
        for context, leaf in walk_leaves(value, f"input[{i}]"):
            yield context, "input", leaf
    for key, value in call.kwargs.items():
        for context, leaf in walk_leaves(value, f"input[{key}]"):
            if isinstance(leaf, torch.Tensor):  # flags such as return_dict are no numbers
                yield context, "input", leaf
    for context, leaf in walk_leaves(call.output, "output"):
        yield context, "output", leaf


def _build_row(context: str, kind: RowKind, value: Any) -> Row:
    if value is None:
        return Row(context, kind, None, "None")
    if not isinstance(value, torch.Tensor):
        return Row(context, kind, None, "not a tensor")
    stats = measure(value)
    if stats is not None:
        return Row(context, kind, stats)
    return Row(context, kind, None, "empty" if value.numel() == 0 else "no values")
