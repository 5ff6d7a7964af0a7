"""The dispatch mode that writes down every operator whose output is not finite."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from .call_reasons import explain_call
from .op_record import External, Operand, OpRecord, Phase, Site, classify, find_bad_rows
from .operators import (
    Operator,
    describe_operator,
    iterate_arguments,
    iterate_outputs,
    storage_key,
)
from .quick_check import signed_range
from .recompute import recompute_in_float64
from .source_lines import find_locations
from .stats import measure
from .swallowed import ShadowValues
from .watched_model import is_distributed

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch._ops import OpOverload

Writer = OpRecord | External
UNINITIALISED = External("uninitialised")
OUTSIDE = External("outside")
COLLECTIVES = ("c10d", "_c10d_functional", "c10d_functional")


class CollectiveMetError(RuntimeError):
    """What is run again waits for other ranks, which do not run it again."""

    def __init__(self, func: OpOverload) -> None:
        super().__init__(f"{func.overloadpacket} waits for other ranks")


@dataclass(frozen=True)
class _Call:
    """One operator call: what was called, with what."""

    operator: Operator
    func: OpOverload
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class OperatorRecorder(TorchDispatchMode):  # type: ignore[no-untyped-call] # torch leaves it untyped
    """Runs every operator, keeps those with a non-finite output and who wrote what they read.

    Args:
        current_module: Gives the qualified name and class of the module that is running.
        is_inside: Tells whether any module of the model is running.
    """

    def __init__(
        self, current_module: Callable[[], tuple[str, str]], is_inside: Callable[[], bool]
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # torch leaves it untyped
        self.records: list[OpRecord] = []
        self.shadows = ShadowValues()
        self.is_paused = False
        self._current_module = current_module
        self._is_inside = is_inside
        self._writers: dict[int, Writer] = {}
        self._externals: dict[int, External] = {}
        self._forward_sites: dict[int, Site] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Keep torch from importing its compiler (a second) to wrap what runs no compiled code."""
        return False

    def name_external(self, tensor: Tensor, external: External) -> None:
        """Give a tensor from outside its name; the first name stays."""
        key = storage_key(tensor)
        if key is not None:
            self._externals.setdefault(key, external)

    def find_writer(self, tensor: Tensor) -> Writer:
        """Give the operator that last made a tensor's memory non-finite, or where it came from."""
        key = storage_key(tensor)
        if key is None:
            return OUTSIDE
        return self._writers.get(key) or self._externals.get(key, OUTSIDE)

    def __torch_dispatch__(
        self,
        func: OpOverload,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        del types
        if func.namespace in COLLECTIVES and is_distributed():
            raise CollectiveMetError(func)
        call = _Call(describe_operator(func), func, args, kwargs or {})
        if self.is_paused:
            return func(*args, **call.kwargs)
        self._note_forward_site()
        if call.operator.is_view:
            result = func(*args, **call.kwargs)
            self.shadows.follow(call.operator, func, args, call.kwargs, result)
            return result
        overwritten = self._look_at_overwritten(call)
        result = func(*args, **call.kwargs)
        self._look_at_result(call, overwritten, result)
        return result

    def _look_at_overwritten(self, call: _Call) -> dict[str, Operand]:
        """Look at what is about to be written over, while it is still there."""
        read = call.operator.written - call.operator.unread
        if not read:
            return {}
        named = iterate_arguments(call.operator, call.args, call.kwargs)
        found = ((name, self._operand(name, t)) for name, t in named if name in read)
        return {name: operand for name, operand in found if operand is not None}

    def _look_at_result(self, call: _Call, overwritten: dict[str, Operand], result: Any) -> None:
        outputs = list(iterate_outputs(result))
        if call.operator.is_uninitialised:
            for output in outputs:
                self._set_writer(output, UNINITIALISED)
            return
        ranges = [signed_range(output) for output in outputs]
        record: OpRecord | None = None
        for output, bounds in zip(outputs, ranges, strict=True):
            if bounds is None or all(math.isfinite(bound) for bound in bounds):
                self._note_finite(call.operator, output)
                continue
            if record is None:
                record = self._record(call, overwritten, output, bounds)
            self._set_writer(output, record)
        self.shadows.follow(call.operator, call.func, call.args, call.kwargs, result)
        if record is not None:
            self._look_closer(record, call, outputs)

    def _record(
        self,
        call: _Call,
        overwritten: dict[str, Operand],
        output: Tensor,
        bounds: tuple[float, float],
    ) -> OpRecord:
        operands = list(overwritten.values())
        for name, tensor in iterate_arguments(call.operator, call.args, call.kwargs):
            operand = None if name in call.operator.written else self._operand(name, tensor)
            if operand is not None:
                operands.append(operand)
        phase, site, node = self._where()
        record = OpRecord(
            len(self.records), call.operator, phase, site, classify(*bounds), operands, node=node
        )
        record.output = measure(output)
        bad = find_bad_rows(output)
        record.rows, record.num_rows, record.positions = bad.rows, bad.num_rows, bad.positions
        record.constant_output = _has_one_finite_value(output)
        self.records.append(record)
        return record

    def _look_closer(self, record: OpRecord, call: _Call, outputs: list[Tensor]) -> None:
        """Measure more where the trouble starts or turns into nan; elsewhere it only passes."""
        if record.bad_operands and not (record.makes_nan or record.lets_mask_out):
            return
        record.because = explain_call(call.operator, call.args, call.kwargs)
        by_name = dict(iterate_arguments(call.operator, call.args, call.kwargs))
        for operand in record.operands:
            if operand.stats is None and operand.name not in call.operator.written:
                operand.stats = measure(by_name[operand.name])
        if record.bad_operands or record.is_deliberate:
            return
        exact = recompute_in_float64(call.operator, call.func, call.args, call.kwargs)
        if not exact:
            self.shadows.num_not_recomputed += 1
            return
        bounds = signed_range(exact[0])
        if bounds is not None and all(math.isfinite(bound) for bound in bounds):
            record.float64_abs_max = max(abs(bound) for bound in bounds)
            if record.phase == "forward":
                self.shadows.start(record, outputs, exact)

    def _operand(self, name: str, tensor: Tensor) -> Operand | None:
        bounds = signed_range(tensor)
        if bounds is None:
            return None
        operand = Operand(name, *bounds, tensor.numel())
        if operand.is_bad:
            operand.source = self.find_writer(tensor)
        return operand

    def _note_finite(self, operator: Operator, output: Tensor) -> None:
        """Forget who made the memory non-finite once all of it is new or written over."""
        key = storage_key(output)
        if key is None or key not in self._writers:
            return
        covers = output.numel() * output.element_size() == output.untyped_storage().nbytes()
        if not operator.written or covers:
            del self._writers[key]

    def _set_writer(self, output: Tensor, writer: Writer) -> None:
        key = storage_key(output)
        if key is not None:
            self._writers[key] = writer

    def _note_forward_site(self) -> None:
        """Remember the line of the autograd node that was just made, for its backward."""
        if self._phase() == "backward":
            return
        number = torch.autograd._get_sequence_nr() - 1  # type: ignore[attr-defined] # noqa: SLF001 - no public door
        if number not in self._forward_sites:
            self._forward_sites[number] = self._here()

    def _phase(self) -> Phase:
        in_backward = torch._C._current_graph_task_id() != -1  # noqa: SLF001 - no public question
        # a forward inside a backward is gradient checkpointing's second one
        return "backward" if in_backward and not self._is_inside() else "forward"

    def _where(self) -> tuple[Phase, Site, str]:
        phase = self._phase()
        node = torch._C._current_autograd_node() if phase == "backward" else None  # noqa: SLF001
        if node is None:
            return phase, self._here(), ""
        number = node._sequence_nr()  # noqa: SLF001 - no public door
        return phase, self._forward_sites.get(number, Site()), node.name()

    def _here(self) -> Site:
        return Site(*self._current_module(), find_locations(depth=3))


def _has_one_finite_value(output: Tensor) -> bool:
    """Tell whether all finite elements are equal, as in a mask of 0 and -inf."""
    if output.layout is not torch.strided:
        return False
    finite = output[torch.isfinite(output)]
    return finite.numel() > 0 and bool((finite == finite[0]).all())
