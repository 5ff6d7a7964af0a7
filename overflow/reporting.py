"""From a first suspicion to a report: exact frames, origin, and whether it could be reproduced."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from .backward_examination import examine_backward
from .batches import Batch
from .classic_text import format_bad_row, format_detection
from .examination import examine_forward
from .frames import Frame, ModuleCall, Row, RowKind, build_frame
from .quick_check import is_minus_inf_only
from .recorder import CollectiveMetError
from .report import OverflowReport, Stage
from .stats import TensorStats, measure
from .watched_model import current_rank, is_distributed, is_replayable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import nn

    from .forward_checks import ForwardChecks
    from .printing import LinePrinter
    from .running import OutermostForward, Running, Suspect

_OTHER_RANKS = "The batch was not run again: its forward waits for other ranks."
_FIRST_SEEN = "Running the batch again did not show it; this is what was first seen."


class Reporter:
    """Makes and prints the reports of one detector.

    Attributes:
        last: The last report that was made.
    """

    def __init__(
        self, model: nn.Module, running: Running, checks: ForwardChecks, max_frames: int
    ) -> None:
        self.model = model
        self.checks = checks
        self.last: OverflowReport | None = None
        self._running = running
        self._max_frames = max_frames

    def report_forward(
        self, suspect: Suspect, forward: OutermostForward, call: ModuleCall | None
    ) -> OverflowReport | None:
        """Look closer at a suspicious value; None if it turns out to be intended.

        Args:
            suspect: The value.
            forward: The outermost forward in which it was seen.
            call: The module's call, where its tensors are still at hand.
        """
        if suspect.stage != "forward":
            return self._report_late(suspect, forward)
        if not is_replayable(self.model):
            return self._report_unexamined(suspect, forward, call)
        found = examine_forward(self._running, self.model, forward, self._max_frames)
        self.checks.intended |= found.intended
        if found.is_found:
            frames = tuple(found.frames)
            return self._keep(OverflowReport(forward.batch, "forward", frames, found.origin))
        if is_minus_inf_only(suspect.low, suspect.high):
            self.checks.intended.add(suspect.key)
            return None
        frames = (_first_seen(suspect, forward.batch, call),)
        note = _explain_unseen(found.error)
        report = OverflowReport(forward.batch, "forward", frames, None, False, note)  # noqa: FBT003 - the field
        return self._keep(report)

    def report_step(
        self,
        stage: Stage,
        names: Iterable[str],
        forward: OutermostForward | None,
        note: str = "",
    ) -> OverflowReport:
        """Report gradients before, or weights after, an optimizer step.

        Args:
            stage: Which of the two.
            names: The parameters concerned.
            forward: The last forward that was counted.
            note: What is to be known besides.
        """
        frames = _frames_of_parameters(self.model, names, stage)
        batch = forward.batch if forward else Batch(None)
        if stage != "gradients" or forward is None or is_distributed():
            return self._keep(OverflowReport(batch, stage, frames, note=note))
        origin = examine_backward(self._running, self.model, forward)
        notes = [note, "" if origin else _FIRST_SEEN]
        said = " ".join(part for part in notes if part)
        return self._keep(OverflowReport(batch, stage, frames, origin, origin is not None, said))

    def print(self, report: OverflowReport, printer: LinePrinter) -> None:
        """Print a report in the classic form, the origin after it."""
        for frame in report.frames if report.stage != "forward" else report.frames[-1:]:
            for row in frame.bad_rows:
                printer.print(format_bad_row(row))
        if report.stage == "forward":
            text = format_detection(report.frames, f"during {report.batch_text}")
        else:
            when = f"in the {report.stage} of {report.batch_text}"
            text = format_detection(report.frames, when, "modules concerned")
        printer.print(text)
        if report.note:
            printer.print(report.note)
        if report.origin is not None:
            printer.print(f"Where it began: {report.origin.summary()}")

    def _report_unexamined(
        self, suspect: Suspect, forward: OutermostForward, call: ModuleCall | None
    ) -> OverflowReport | None:
        is_input = suspect.context.startswith("input")
        if is_input and is_minus_inf_only(suspect.low, suspect.high):
            self.checks.intended.add(suspect.key)
            return None
        frames = (_first_seen(suspect, forward.batch, call),)
        report = OverflowReport(forward.batch, "forward", frames, None, False, _OTHER_RANKS)  # noqa: FBT003
        return self._keep(report)

    def _report_late(self, suspect: Suspect, forward: OutermostForward) -> OverflowReport:
        """Report a gradient or weight whose answer came with the next forward's."""
        batch = suspect.batch or forward.batch
        note = f"Read one forward later; the step of {batch.text} is done."
        frames = (_first_seen(suspect, batch, None),)
        return self._keep(OverflowReport(batch, suspect.stage, frames, None, False, note))  # noqa: FBT003

    def _keep(self, report: OverflowReport) -> OverflowReport:
        self.last = replace(report, rank=current_rank())
        return self.last


def _explain_unseen(error: Exception | None) -> str:
    if isinstance(error, CollectiveMetError):
        return _OTHER_RANKS
    return f"{_FIRST_SEEN} ({error!r})" if error else _FIRST_SEEN


def _first_seen(suspect: Suspect, batch: Batch, call: ModuleCall | None) -> Frame:
    if call is not None:
        return build_frame(call, batch.number, starts_batch=batch.number is not None)
    has_nan = math.isnan(suspect.low)
    worst = math.nan if has_nan else math.inf
    stats = TensorStats((), "", math.nan, worst, int(has_nan), int(not has_nan))
    row = Row(suspect.context, _kind(suspect), stats)
    return Frame(suspect.module, suspect.module_class, batch.number, (row,))


def _kind(suspect: Suspect) -> RowKind:
    if suspect.stage == "gradients":
        return "gradient"
    return suspect.kind or ("input" if suspect.context.startswith("input") else "output")


def _frames_of_parameters(
    model: nn.Module, names: Iterable[str], stage: Stage
) -> tuple[Frame, ...]:
    """Measure gradients or values of parameters, one frame for each module that owns some."""
    rows: dict[str, list[Row]] = {}
    for name in names:
        module, _, own = name.rpartition(".")
        parameter = model.get_parameter(name)
        if stage == "gradients" and parameter.grad is not None:
            row = Row(f"{own}.grad", "gradient", measure(parameter.grad))
        else:
            row = Row(own, "weight", measure(parameter))
        rows.setdefault(module, []).append(row)
    return tuple(
        Frame(module, type(model.get_submodule(module)).__name__, None, tuple(own))
        for module, own in rows.items()
    )
