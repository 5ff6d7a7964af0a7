"""Train with the pipeline's own parts under `DebugUnderflowOverflow`, batch by batch."""

from __future__ import annotations

import time
import warnings
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from ...overflow import DebugUnderflowOverflow
from ..events import Note, Observed, Progress, StageBegan, StageEnded
from ..facts.watching import FramesSeen, WatchFacts
from ..observe.uncompiled import uncompiled
from ..report import Stage
from ..training.epoch_batches import count_batches
from ..training.rng_state import capture_rng_state
from .batch_training import BatchTraining
from .drawn_samples import DrawnSamples
from .failures import Failures
from .frame_facts import FrameFacts
from .other_ranks import NoOtherRanks
from .replay_origin import Replay
from .watchable import UnwatchableError, watchable
from .watched_batch import WatchedBatches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import torch
    from torch import nn

    from ..events import Event
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
        others: The other ranks that train with this one.
    """

    def __init__(  # noqa: PLR0913 - what a training is made of
        self,
        session: Session,
        pipeline: Pipeline,
        options: WatchOptions,
        precision: str,
        device: torch.device,
        *,
        others: NoOtherRanks | None = None,
    ) -> None:
        model: Any = pipeline.model
        has_forecast = precision != "fp16"
        self._session, self._pipeline, self._options = session, pipeline, options
        self._model, self._precision, self._device = model, precision, device
        model.to(device)
        self._others = others or NoOtherRanks()
        self._training = BatchTraining(pipeline, precision, device, self._others)
        is_alone = self._others.is_alone
        self._failures = Failures(session, pipeline, precision, device, is_alone=is_alone)
        self._watched = WatchedBatches(session, options, has_forecast=has_forecast)
        self._frames = FrameFacts(options.modules, has_forecast=has_forecast)
        self._drawn = DrawnSamples()
        self._ended_by = self._first_batch = ""
        self._num_batches = 0
        self._num_planned: int | None = None
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
            debugger = stack.enter_context(self._make_debugger(model))
            stack.callback(self._others.leave)
            yield from self._begin(debugger.model)
            yield from self._train(debugger)
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
                file=self._watched.classic,
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

    def _begin(self, model: nn.Module) -> Iterator[Event]:
        """Meet the other ranks, and plan how many batches there will be at most."""
        others = self._others
        seed = self._session.settings.seed
        yield from others.prepare(self._pipeline, model, seed)
        length = count_batches(self._loader)
        limits = [self._options.num_batches, length and length * self._options.epochs]
        own = min((limit for limit in limits if limit is not None), default=None)
        self._meet_others(lambda: others.begin(model))
        self._num_planned = self._meet_others(lambda: others.agree_on_length(own))
        if self._num_planned != own and not self._ended_by:
            yield Note(
                f"not all ranks have the same number of batches: all end after {self._num_planned}."
            )

    def _train(self, debugger: DebugUnderflowOverflow) -> Iterator[Event]:
        number = 0
        for epoch in range(self._options.epochs):
            self._others.begin_epoch(self._loader, epoch)
            batches, error = self._session.attempt(lambda: self._drawn.iterate(self._loader))
            while error is None and not self._ended_by:
                batch, error = self._session.attempt(lambda: next(batches, self))  # noqa: B023 - called at once
                if error is not None or batch is self:
                    break
                yield Progress(Stage.FORWARD, self._text(number), number, self._num_planned)
                yield from self._one_batch(debugger, batch, number)
                number += 1
            if self._ended_by:
                return
            if error is not None or not number:
                debugger.detach()
                self._ended_by = "failure"
                yield from self._failures.of_drawing(error, number)
                return

    def _one_batch(
        self, debugger: DebugUnderflowOverflow, batch: Any, number: int
    ) -> Iterator[Event]:
        self._meet_others(lambda: self._others.begin_batch(number))
        if self._ended_by:
            return
        self._first_batch = self._first_batch or self._others.mark_of(batch)
        self._num_batches += 1
        is_last = number + 1 == self._num_planned
        before = capture_rng_state()
        replay = Replay(self._training, batch, number, before, self._session, self._others)
        error = self._watched.run(debugger, replay, is_last=is_last)
        if self._watched.detection is not None:
            self._watched.detection = self._drawn.name_samples(self._watched.detection, batch)
            self._ended_by = "detection"
        elif error is not None and self._others.have_left(error):
            self._ended_by = "left"
        elif error is not None:
            self._ended_by = "failure"
            yield from self._failures.of_batch(error, batch, number, self._training.style)
        yield from self._tell(number)
        if is_last:
            self._ended_by = self._ended_by or "limit"

    def _meet_others(self, meet: Callable[[], Any]) -> Any:
        """What the meeting gives; where another rank has ended, so does this one."""
        if self._ended_by:
            return None
        try:
            return meet()
        except self._session.caught as error:
            if not self._others.have_left(error):
                raise
            self._ended_by = "left"
            return None

    def _tell(self, number: int) -> Iterator[Event]:
        classic = self._watched.classic
        classic.seek(0)
        classic.truncate()
        frames, facts = self._frames.take_all()
        self._watched.forecasts.take(frames if self._precision != "fp16" else ())
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

    def _text(self, number: int) -> str:
        losses = self._training.losses
        loss = f", loss {losses[-1][1]:.4g}" if losses else ""
        return f"batch {number}{loss}"

    def _facts(self, ended_by: str) -> WatchFacts:
        training = self._training
        forecasts = self._watched.forecasts.worst_first()
        return WatchFacts(
            num_batches=self._num_batches,
            num_steps=training.num_steps,
            num_skipped=training.num_skipped,
            losses=tuple(training.losses),
            ended_by=ended_by,
            detection=self._watched.detection,
            forecasts=tuple(found.summary() for found in forecasts[:MAX_FORECASTS]),
            num_forecasts=len(forecasts),
            precision=self._precision,
            device=str(self._device),
            num_modules=sum(1 for _ in self._model.modules()),
            first_batch=self._first_batch,
        )
