"""The detector and tracer under the name that people know."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import torch
from torch import nn

from .arguments import as_container, check_count
from .batches import BatchCounter
from .errors import BatchLimitReachedError, OverflowDetectedError
from .examination import device_types
from .forward_checks import ForwardChecks
from .forward_watch import ForwardWatch
from .printing import LinePrinter
from .reporting import Reporter
from .skipped_steps import SkipCounts, SkippedSteps
from .step_checks import StepChecks
from .tracing import Tracer
from .watched_model import resolve_model

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from types import TracebackType

    from typing_extensions import Self

    from .frames import Frame, ModuleCall
    from .report import OverflowReport
    from .running import OutermostForward, Suspect


class DebugUnderflowOverflow:
    """Stops a training run at the first nan or inf, or traces chosen batches.

    A drop-in replacement for the class of that name in transformers. Two ways of working:

    - detection, the default: the first nan or inf in a weight, buffer, input or output of a module,
      in a gradient, or in the weights after an optimizer step prints the frames that led there and
      where it began, and raises;
    - tracing: with `trace_batch_nums` every frame of the chosen batches is printed, and nan and inf
      in these batches stop nothing. The other batches are under detection.

    A batch is one outermost forward of the watched model with gradients enabled. Other forwards
    (evaluation under no_grad, `generate()`) are checked and not counted; the second forward of
    gradient checkpointing belongs to its batch; `with debugger.batch(n):` makes several forwards
    one batch. Use it as a context manager, or call `detach()`, to leave the model as it was.

    Args:
        model: The model to watch. DistributedDataParallel is looked through.
        max_frames_to_save: How many of the last frames a detection shows.
        trace_batch_nums: Numbers of the batches to trace, counted from 0: anything that answers
            `n in trace_batch_nums`.
        abort_after_batch_num: Number of the batch after which to stop, at the end of its forward
            or of its `batch()` block.
        file: Where to print; `sys.stdout` if None.
        on_frame: Called with every frame of a traced batch.
        watch_steps: Whether gradients are looked at before and weights after each optimizer step.
        defer: Whether results stay on the device until the outermost forward ends, so that nothing
            waits for the device in between. None: where the model is on an accelerator.
        wait_at_steps: Whether to wait for the device once more at each optimizer step where results
            are deferred. Without it a bad gradient is read with the next forward: the step is done
            by then, its weights are no longer there, and its origin cannot be told.

    Raises:
        TypeError: The model cannot be watched, or an argument is of the wrong type.
        ValueError: A number is out of its range.

    Example:
        >>> model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout())
        >>> with DebugUnderflowOverflow(model) as debugger:
        ...     _ = model(torch.ones(1, 2))
        >>> debugger.batch_number
        0
    """

    def __init__(  # noqa: PLR0913 - the first four are the original's, the others by keyword only
        self,
        model: nn.Module,
        max_frames_to_save: int = 21,
        trace_batch_nums: Container[int] | Iterable[int] | None = None,
        abort_after_batch_num: int | None = None,
        *,
        file: TextIO | None = None,
        on_frame: Callable[[Frame], None] | None = None,
        watch_steps: bool = True,
        defer: bool | None = None,
        wait_at_steps: bool = False,
    ) -> None:
        self.model = resolve_model(model)
        self.max_frames_to_save = check_count("max_frames_to_save", max_frames_to_save, least=1)
        self.trace_batch_nums = as_container(trace_batch_nums)
        self.abort_after_batch_num = None
        if abort_after_batch_num is not None:
            self.abort_after_batch_num = check_count("abort_after_batch_num", abort_after_batch_num)
        self._printer = LinePrinter(file)
        self._tracer = Tracer(self._printer, on_frame)
        self._is_deferred = device_types(self.model) != ("cpu",) if defer is None else defer
        self._counter = BatchCounter()
        self._scalers: list[SkippedSteps] = []
        self._watch = ForwardWatch(self.model, self._counter, self)
        self._checks = ForwardChecks(self._watch.names)
        self._running = self._watch.running
        self._reporter = Reporter(self.model, self._running, self._checks, self.max_frames_to_save)
        waiting = self._running if self._is_deferred else None
        self._steps = StepChecks(
            self._reporter, self._on_report, waiting, is_on=watch_steps, waits=wait_at_steps
        )

    @property
    def batch_number(self) -> int | None:
        """Number of the last batch that began, None before the first."""
        return self._counter.last

    @property
    def report(self) -> OverflowReport | None:
        """The last detection, None if there was none."""
        return self._reporter.last

    @contextmanager
    def batch(self, number: int | None = None) -> Iterator[int]:
        """Make all forwards of a block one batch, as for a GAN or accumulated gradients.

        Args:
            number: The batch's number; the next one if None.
        """
        with self._counter.block(number) as current:
            yield current
        self._stop_after(current)

    def watch_scaler(self, scaler: torch.amp.GradScaler) -> None:
        """Stop also where a GradScaler skips step after step, which no optimizer hook shows.

        Its first skips, while it looks for its scale, are let pass.
        """
        self._scalers.append(SkippedSteps(scaler, self._on_stuck))

    def detach(self) -> None:
        """Take all hooks off the model; doing so twice does no harm."""
        self._watch.detach()
        for skipped in self._scalers:
            skipped.detach()
        self._steps.detach()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.detach()

    def begin(self, forward: OutermostForward) -> None:
        """Take note of an outermost forward (called by the hooks)."""
        number = forward.batch.number
        forward.is_traced = number is not None and number in self.trace_batch_nums
        self._steps.begin_forward(forward)
        if forward.is_blind or forward.is_traced:
            return
        with self._running.no_grad:
            if self._is_deferred:
                self._checks.defer_weights(forward.module, self._running.deferred)
                return
            suspect = self._checks.find_suspect_weight(forward.module)
        if suspect is not None:
            self._on_suspect(suspect, forward, None)

    def look(self, call: ModuleCall, forward: OutermostForward) -> None:
        """Look at a module's forward that has ended (called by the hooks)."""
        running = self._running
        with running.no_grad:
            if forward.is_traced:
                self._tracer.trace(call, forward.batch.number)
                return
            if self._is_deferred:
                self._checks.defer(call, forward.finite, running.deferred)
                return
            suspect = self._checks.find_suspect(call, forward.finite)
        if suspect is not None:
            self._on_suspect(suspect, forward, call)

    def finish(self, forward: OutermostForward, output: Any) -> None:
        """Take note of an outermost forward that ended well (called by the hooks)."""
        if not forward.is_traced:
            suspect = self._look_at_the_rest(forward)
            if suspect is not None:
                self._on_suspect(suspect, forward, None)
        if forward.batch.trains:
            self._steps.keep_output_gradients(forward, output)
        if forward.batch.is_counted and forward.batch.number is not None:
            self._stop_after(forward.batch.number)

    def give_up(self, forward: OutermostForward) -> None:
        """Report what is known before an exception of the user's goes on (called by the hooks)."""
        if not self._is_deferred:
            return
        suspects = self._fetch()
        if suspects:
            report = self._reporter.report_forward(suspects[0], forward, None)
            if report is not None:
                self._reporter.print(report, self._printer)

    def _look_at_the_rest(self, forward: OutermostForward) -> Suspect | None:
        with self._running.no_grad:
            if not self._is_deferred:
                return self._checks.find_suspect_buffer(forward.module)
            self._checks.defer_buffers(forward.module, self._running.deferred)
        return next(iter(self._fetch()), None)

    def _fetch(self) -> list[Suspect]:
        with torch.no_grad():
            found = self._running.deferred.fetch()
        suspects = (suspect.measured(low, high) for suspect, low, high in found)
        return [suspect for suspect in suspects if not self._checks.is_intended(suspect)]

    def _on_suspect(
        self, suspect: Suspect, forward: OutermostForward, call: ModuleCall | None
    ) -> None:
        report = self._reporter.report_forward(suspect, forward, call)
        if report is not None:
            self._on_report(report)

    def _on_report(self, report: OverflowReport) -> None:
        self._reporter.print(report, self._printer)
        raise OverflowDetectedError(report)

    def _on_stuck(self, counts: SkipCounts) -> None:
        self._on_report(self._steps.report_stuck(counts.describe()))

    def _stop_after(self, number: int) -> None:
        limit = self.abort_after_batch_num
        if limit is not None and number >= limit:
            raise BatchLimitReachedError(number, limit)
