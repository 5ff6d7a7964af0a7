"""Train with the pipeline's own parts under `DebugUnderflowOverflow`, batch by batch."""

from __future__ import annotations

import io
import time
import warnings
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from ...overflow import DebugUnderflowOverflow, record_frames
from ..events import Observed, Progress, StageBegan, StageEnded
from ..facts.watching import FramesSeen, WatchFacts
from ..observe.uncompiled import uncompiled
from ..report import Stage
from ..training.epoch_batches import count_batches
from ..training.rng_state import capture_rng_state
from .batch_training import BatchTraining, NonFiniteLossError
from .drawn_samples import DrawnSamples
from .failures import Failures
from .forecasts import Forecasts, is_sampled
from .frame_facts import FrameFacts, detection_fact
from .replay_origin import Replay
from .watchable import UnwatchableError, watchable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import torch
    from torch import nn

    from ..events import Event
    from ..facts.watching import DetectionFact
    from ..pipeline.parts import Pipeline
    from ..session import Session
    from .options import WatchOptions

MAX_FORECASTS = 50
TELL_EVERY_S = 1.0


class WatchedTraining:
    """One training under watch.

    Args:
        session: What all stages share.
        pipeline: The parts.
        options: How it is watched.
        precision: fp32, bf16 or fp16.
        device: Where it runs.
    """

    def __init__(
        self,
        session: Session,
        pipeline: Pipeline,
        options: WatchOptions,
        precision: str,
        device: torch.device,
    ) -> None:
        model: Any = pipeline.model
        self._session, self._pipeline, self._options = session, pipeline, options
        self._model, self._precision, self._device = model, precision, device
        model.to(device)
        self._training = BatchTraining(pipeline, precision, device)
        self._failures = Failures(session, pipeline, precision, device)
        self._frames = FrameFacts(options.modules, has_forecast=precision != "fp16")
        self._forecasts = Forecasts()
        self._classic = io.StringIO()
        self._detection: DetectionFact | None = None
        self._drawn = DrawnSamples()
        self._ended_by = ""
        self._num_batches = 0
        self._told_at = time.monotonic()

    def run(self) -> Iterator[Event]:
        """Train; tells progress, the frames of traced batches and, last, what came of it.

        Raises:
            UnwatchableError: The model's modules do not run as Python.
        """
        began = time.monotonic()
        yield StageBegan(Stage.FORWARD)
        self._model.train()
        with ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            stack.enter_context(uncompiled())
            model = stack.enter_context(watchable(self._model))
            yield from self._train(stack.enter_context(self._make_debugger(model)))
        yield Observed(self._facts(self._ended_by or "done"))
        summary = f"{self._num_batches} batches"
        yield StageEnded(Stage.FORWARD, time.monotonic() - began, summary)

    def _make_debugger(self, model: nn.Module) -> DebugUnderflowOverflow:
        options = self._options
        try:
            debugger = DebugUnderflowOverflow(
                model,
                options.max_frames,
                trace_batch_nums=options.batches,
                file=self._classic,
                on_frame=self._frames.take,
                # A trace is to go on past nan and inf.
                watch_steps=not options.batches,
                # The loss is read in each batch anyway.
                wait_at_steps=True,
            )
        except TypeError as error:
            raise UnwatchableError(str(error)) from error
        if self._training.scaler is not None and not options.batches:
            debugger.watch_scaler(self._training.scaler)
        return debugger

    def _train(self, debugger: DebugUnderflowOverflow) -> Iterator[Event]:
        number = 0
        for _ in range(self._options.epochs):
            batches, error = self._session.attempt(lambda: self._drawn.iterate(self._loader))
            while error is None and not self._ended_by:
                batch, error = self._session.attempt(lambda: next(batches, self))  # noqa: B023 - called at once
                if error is not None or batch is self:
                    break
                yield Progress(Stage.FORWARD, self._text(number), number, self._num_planned)
                yield from self._one_batch(debugger, batch, number)
                number += 1
            if error is not None or not number:
                debugger.detach()
                self._ended_by = "failure"
                yield from self._failures.of_drawing(error, number)
            if self._ended_by:
                return

    def _one_batch(
        self, debugger: DebugUnderflowOverflow, batch: Any, number: int
    ) -> Iterator[Event]:
        self._num_batches += 1
        is_last = number + 1 == self._num_planned
        replay = Replay(self._training, batch, number, capture_rng_state(), self._session)
        error = self._run_batch(debugger, replay, is_last=is_last)
        if error is not None:
            self._ended_by = "failure"
            yield from self._failures.of_batch(error, batch, number)
        yield from self._tell(number)
        if is_last:
            self._ended_by = self._ended_by or "limit"

    def _run_batch(
        self, debugger: DebugUnderflowOverflow, replay: Replay, *, is_last: bool
    ) -> BaseException | None:
        """Train on one batch; gives what the user's code raised."""
        batch, number, raised = replay.batch, replay.number, None
        may_raise = number not in self._options.batches
        try:
            with debugger.batch(number), self._sampled(debugger.model, number):
                self._training.run(batch, number, may_raise=may_raise, is_last=is_last)
        except NonFiniteLossError as error:
            debugger.detach()
            self._detection = replay.tell_loss(error.value)
        except self._session.caught as error:
            debugger.detach()
            raised = error
        if debugger.report is not None:  # also where the user's code has caught what stops it
            debugger.detach()
            code = self._session.code
            found = detection_fact(debugger.report, self._classic.getvalue(), code)
            self._detection = replay.refine(found)
        if self._detection is None:
            return raised
        self._detection = self._drawn.name_samples(self._detection, replay.batch)
        self._ended_by = "detection"
        return None

    def _sampled(self, model: nn.Module, number: int) -> ExitStack:
        """What measures the batch for the forecast, where it is one of those."""
        stack = ExitStack()
        if not self._options.batches and self._precision != "fp16" and is_sampled(number):
            frames = stack.enter_context(record_frames(model, number))
            stack.callback(lambda: self._forecasts.take(frames))
        return stack

    def _tell(self, number: int) -> Iterator[Event]:
        self._classic.seek(0)
        self._classic.truncate()
        frames, facts = self._frames.take_all()
        self._forecasts.take(frames if self._precision != "fp16" else ())
        if number in self._options.batches:
            losses = self._training.losses
            loss = losses[-1][1] if losses and losses[-1][0] == number else None
            yield Observed(FramesSeen(number, facts, loss))
        now = time.monotonic()
        if now > self._told_at + TELL_EVERY_S:
            self._told_at = now
            yield Observed(self._facts(self._ended_by))

    @property
    def _loader(self) -> Iterable[Any]:
        loader = self._pipeline.dataloader
        return () if loader is None else loader

    @property
    def _num_planned(self) -> int | None:
        """How many batches there will be at most, None where that is not known."""
        length = count_batches(self._loader)
        limits = [self._options.num_batches, length and length * self._options.epochs]
        return min((limit for limit in limits if limit is not None), default=None)

    def _text(self, number: int) -> str:
        losses = self._training.losses
        loss = f", loss {losses[-1][1]:.4g}" if losses else ""
        return f"batch {number}{loss}"

    def _facts(self, ended_by: str) -> WatchFacts:
        training = self._training
        forecasts = self._forecasts.worst_first()
        return WatchFacts(
            num_batches=self._num_batches,
            num_steps=training.num_steps,
            num_skipped=training.num_skipped,
            losses=tuple(training.losses),
            ended_by=ended_by,
            detection=self._detection,
            forecasts=tuple(found.summary() for found in forecasts[:MAX_FORECASTS]),
            num_forecasts=len(forecasts),
            precision=self._precision,
            device=str(self._device),
            num_modules=sum(1 for _ in self._model.modules()),
        )
