"""Running a forward again to see exactly what happened: frames, and the operator it began in."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torch import Tensor, nn

from .find_origin import origin_of_output
from .frames import Frame, ModuleCall, build_frame, iterate_values
from .op_record import BadRows, External, OpRecord
from .origin_watch import BadOutput, OriginWatch
from .quick_check import is_minus_inf_only, signed_range
from .replay import BatchStart
from .walk_back import walk_back

if TYPE_CHECKING:
    from .origin import Origin
    from .running import OutermostForward, Running


class _FoundError(Exception):
    """Ends the second run at the module where the first unintended value shows."""


@dataclass
class Examination:
    """What the second run of a forward has shown.

    Attributes:
        frames: The last frames, the bad one at the end if one was found.
        origin: Where the bad value began.
        intended: Values that hold -inf on purpose, by module and name.
        is_found: Whether anything unintended was found.
        error: What the second run raised, if it raised.
    """

    frames: deque[Frame]
    origin: Origin | None = None
    intended: set[tuple[str, str]] = field(default_factory=set)
    is_found: bool = False
    error: Exception | None = None


def examine_forward(
    running: Running, model: nn.Module, forward: OutermostForward, max_frames: int
) -> Examination:
    """Run an outermost forward again from its saved start and stop at the first bad value.

    -inf that operators such as masked_fill put there on purpose is let pass. Random states, buffers
    and the thread's modes are afterwards as they were before.

    Args:
        running: The thread's state; its hooks are pointed at the examination meanwhile.
        model: The watched model.
        forward: What to run.
        max_frames: How many frames to keep.
    """
    result = Examination(deque(maxlen=max_frames))
    watch = OriginWatch(model)
    watch.on_exit = lambda call: _look(call, watch, forward, result)
    now = BatchStart.capture(model.modules())
    stack = running.modules
    running.modules = []
    forward.start.restore()
    try:
        _run(running, watch, forward)
    except _FoundError:
        result.is_found = True
    except Exception as error:  # noqa: BLE001 - whatever the user's code raises the second time
        result.error = error
    finally:
        running.modules, running.replay = stack, None
        now.restore()
    return result


def device_types(model: nn.Module) -> tuple[str, ...]:
    """Name the kinds of devices whose autocast matters to a model."""
    kinds = {parameter.device.type for parameter in model.parameters()}
    return tuple(sorted((kinds | {"cpu"}) - {"meta"}))


def _run(running: Running, watch: OriginWatch, forward: OutermostForward) -> None:
    running.replay = watch.tracker
    modes = forward.modes.applied(device_types(watch.model))
    with modes, watch.recording():
        forward.module(*forward.args, **forward.kwargs)


def _look(
    call: ModuleCall, watch: OriginWatch, forward: OutermostForward, result: Examination
) -> None:
    is_first = not result.frames and forward.batch.number is not None
    frame = build_frame(call, forward.batch.number, starts_batch=is_first)
    result.frames.append(frame)
    if not frame.bad_rows:
        return
    for context, kind, value in iterate_values(call):
        if not isinstance(value, Tensor):
            continue
        bounds = signed_range(value.detach())
        if bounds is None or all(math.isfinite(bound) for bound in bounds):
            continue
        writer = watch.writer_of(value)
        if kind != "weight" and _is_intended(bounds, writer):
            result.intended.add((call.name, context))
            continue
        result.origin = _find_origin(watch, call, context, value)
        raise _FoundError


def _is_intended(bounds: tuple[float, float], writer: OpRecord | None) -> bool:
    if not is_minus_inf_only(*bounds):
        return False
    return writer is None or walk_back([writer]).is_deliberate


def _find_origin(
    watch: OriginWatch, call: ModuleCall, context: str, value: Tensor
) -> Origin | None:
    writer = watch.recorder.find_writer(value)
    if isinstance(writer, External):  # a weight or an input: start at the first that read it
        record = next((r for r in watch.recorder.records if _reads(r, writer)), None)
    else:
        record = writer
    bad = BadOutput(0, call.name, context, record, tuple(value.shape), BadRows())
    return origin_of_output(watch, bad)


def _reads(record: OpRecord, external: External) -> bool:
    return any(operand.source == external for operand in record.operands)
