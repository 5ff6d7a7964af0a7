"""One run under the recorder, with the module outputs that were not finite on the way."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from .module_tracker import ModuleTracker, OnExit
from .nested import iterate_tensors, walk_leaves
from .op_record import BadRows, External, OpRecord, find_bad_rows
from .quick_check import signed_range
from .recorder import OperatorRecorder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .frames import ModuleCall


@dataclass(frozen=True)
class BadOutput:
    """A module's output that was not finite.

    Attributes:
        time: How many records there were when the module ended.
        module: Qualified name.
        context: The output's name, e.g. `output[0]`.
        writer: The operator that wrote it, None if it came from outside.
        shape: Its sizes.
        rows: The rows of it that hold nan or inf.
    """

    time: int
    module: str
    context: str
    writer: OpRecord | None
    shape: tuple[int, ...]
    rows: BadRows


@dataclass
class OriginWatch:
    """Watches a model for the length of a run.

    Attributes:
        model: The model.
        bad_outputs: Non-finite outputs of its modules, in the order of the run.
        on_exit: Called after each module's forward, with recording paused.
        bad_inputs: Tensors that entered the model non-finite, by name.
    """

    model: nn.Module
    bad_outputs: list[BadOutput] = field(default_factory=list)
    bad_inputs: dict[str, Tensor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tracker = ModuleTracker(self.model, self._enter, self._exit)
        self.recorder = OperatorRecorder(
            lambda: self.tracker.current, lambda: self.tracker.is_inside
        )
        self._first_sizes: Counter[int] = Counter()
        self.on_exit: OnExit | None = None

    @property
    def batch_size(self) -> int | None:
        """The first dimension that most tensors have that entered the model, None without any."""
        most_common = self._first_sizes.most_common(1)
        return most_common[0][0] if most_common else None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Record the operators and the modules' outputs of a block."""
        with self.tracker.attached(), self.recording():
            yield

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record the operators of a block; the caller passes the modules' hooks to `tracker`."""
        for name, parameter in self.model.named_parameters():
            self.recorder.name_external(parameter, External("weight", name))
        for name, buffer in self.model.named_buffers():
            self.recorder.name_external(buffer, External("buffer", name))
        with self.recorder:
            yield

    def writer_of(self, tensor: Tensor) -> OpRecord | None:
        """Give the operator that made a tensor non-finite, None if it came so from outside."""
        writer = self.recorder.find_writer(tensor)
        return writer if isinstance(writer, OpRecord) else None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Run operators of our own without recording them."""
        before, self.recorder.is_paused = self.recorder.is_paused, True
        try:
            yield
        finally:
            self.recorder.is_paused = before

    def _enter(
        self, module: nn.Module, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        if module is not self.model:
            return
        del name
        with self.paused():
            named = [walk_leaves(value, f"input[{i}]") for i, value in enumerate(args)]
            named += [walk_leaves(value, f"input[{key}]") for key, value in kwargs.items()]
            for context, leaf in (pair for group in named for pair in group):
                if isinstance(leaf, Tensor):
                    self._note_input(context, leaf)

    def _note_input(self, context: str, tensor: Tensor) -> None:
        if tensor.dim():
            self._first_sizes[tensor.shape[0]] += 1
        self.recorder.name_external(tensor, External("input", context))
        if is_bad(tensor):
            self.bad_inputs.setdefault(context, tensor)

    def _exit(self, call: ModuleCall) -> None:
        with self.paused():
            for tensor in iterate_tensors(call.output):
                self.recorder.shadows.compare(tensor, call.name)
            for context, leaf in walk_leaves(call.output, "output"):
                if isinstance(leaf, Tensor) and is_bad(leaf):
                    self._note_bad_output(call, context, leaf)
            if self.on_exit is not None:
                self.on_exit(call)

    def _note_bad_output(self, call: ModuleCall, context: str, tensor: Tensor) -> None:
        time = len(self.recorder.records)
        shape, rows = tuple(tensor.shape), find_bad_rows(tensor.detach())
        writer = self.writer_of(tensor)
        self.bad_outputs.append(BadOutput(time, call.name, context, writer, shape, rows))


def is_bad(tensor: Tensor) -> bool:
    """Tell whether a tensor holds nan or inf."""
    bounds = signed_range(tensor.detach())
    return bounds is not None and not all(math.isfinite(bound) for bound in bounds)
