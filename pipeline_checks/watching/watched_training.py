"""Train with the pipeline's own parts under `DebugUnderflowOverflow`, batch by batch."""

from __future__ import annotations

import fnmatch
import io
import warnings
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import torch

from ...overflow import (
    BatchLimitReachedError,
    DebugUnderflowOverflow,
    OverflowDetectedError,
    SkippedSteps,
    forecast_fp16,
)
from ..events import Observed, Progress, StageBegan, StageEnded
from ..facts.training import FailureFact, TrainingFacts
from ..facts.watching import FramesSeen, WatchFacts
from ..observe.uncompiled import uncompiled
from ..pipeline.loss_style import loss_of, style_of
from ..report import Stage
from ..stages.device import moved
from ..training import LoopArguments, TrainingParts
from ..training.update import Update
from .frame_facts import detection_fact, frame_fact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...overflow import Frame, OverflowReport
    from ..events import Event
    from ..pipeline.parts import Pipeline
    from ..session import Session
    from .options import WatchOptions

MAX_FORECASTS = 50


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
        self.session, self.pipeline, self.options = session, pipeline, options
        self.model, self.precision, self.device = model, precision, device
        self.style = ""
        self._frames: list[Frame] = []
        self._forecast: list[Frame] = []
        self._losses: list[tuple[int, float]] = []
        self._num_steps = 0
        self._user_state: dict[str, Any] = {}
        self._report: OverflowReport | None = None
        self._ended_by = "done"
        self._classic = io.StringIO()
        arguments = LoopArguments(
            precision=precision, device=str(device), max_grad_norm=options.max_grad_norm
        )
        parts = TrainingParts(
            model,
            batches=tuple,
            optimizer=pipeline.optimizers,
            forward_loss=self._forward_loss,
            scheduler=pipeline.scheduler,
            scaler=pipeline.scaler,
        )
        self._update = Update(parts.with_scaler(precision, str(device)), arguments)

    def run(self) -> Iterator[Event]:
        """Train; tells progress, the frames of traced batches and, last, what came of it."""
        yield StageBegan(Stage.FORWARD)
        self.model.to(self.device)
        self.model.train()
        with ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            stack.enter_context(uncompiled())
            debugger = stack.enter_context(self._make_debugger())
            if self._update.parts.scaler is not None:
                stack.enter_context(SkippedSteps(self._update.parts.scaler, debugger._on_stuck))  # noqa: SLF001 - the detector's own way to report a scaler that is stuck
            yield from self._batches(debugger)
        yield Observed(self._facts())
        yield StageEnded(Stage.FORWARD, summary=f"{len(self._losses)} batches")

    def _make_debugger(self) -> DebugUnderflowOverflow:
        options = self.options
        return DebugUnderflowOverflow(
            self.model,
            options.max_frames,
            trace_batch_nums=options.batches,
            file=self._classic,
            on_frame=self._take_frame,
        )

    def _take_frame(self, frame: Frame) -> None:
        patterns = self.options.modules
        if not patterns or any(fnmatch.fnmatchcase(frame.module, p) for p in patterns):
            self._frames.append(frame)

    def _batches(self, debugger: DebugUnderflowOverflow) -> Iterator[Event]:
        for number, batch in enumerate(self._draw()):
            yield Progress(Stage.FORWARD, self._shown(number), number, self._num_planned)
            try:
                with debugger.batch(number):
                    self._one_batch(moved(batch, self.device), number)
            except OverflowDetectedError as error:
                self._report, self._ended_by = error.report, "detection"
            except BatchLimitReachedError:
                self._ended_by = "limit"
            except self.session.caught as error:
                self._ended_by = "failure"
                failure = FailureFact(Stage.FORWARD, number, self.session.fact(error))
                yield Observed(TrainingFacts(self.style, failures=(failure,), batches=(number,)))
            yield from self._tell_frames(number)
            if self._is_over(number):
                return

    def _is_over(self, number: int) -> bool:
        options = self.options
        limits = [
            options.abort_after,
            None if options.max_batches is None else options.max_batches - 1,
        ]
        if self._ended_by == "done" and any(
            limit is not None and number >= limit for limit in limits
        ):
            self._ended_by = "limit"
        return self._ended_by != "done"

    def _draw(self) -> Iterator[Any]:
        for _ in range(self.options.epochs):
            yield from self.pipeline.dataloader or ()

    @property
    def _num_planned(self) -> int | None:
        options = self.options
        limits = [
            options.max_batches,
            None if options.abort_after is None else options.abort_after + 1,
        ]
        try:
            limits.append(len(self.pipeline.dataloader) * options.epochs)  # type: ignore[arg-type] # a loader may have no length
        except TypeError:
            pass
        return min((limit for limit in limits if limit is not None), default=None)

    def _shown(self, number: int) -> str:
        loss = f", loss {self._losses[-1][1]:.4g}" if self._losses else ""
        return f"batch {number}{loss}"

    def _one_batch(self, batch: Any, number: int) -> None:
        self.style = self.style or style_of(self.pipeline, batch)
        self._number = number
        if self.style == "train_step":
            step: Any = self.pipeline.train_step
            loss = step(self.model, batch, self.pipeline.optimizer, self._user_state)
            self._num_steps += 1
        else:
            loss = self._update.backward(batch, 1)
            self._note_loss(number, loss)
            self._update.prepare()
            if self._update.step():
                self._num_steps += 1
                self._update.step_schedulers()
            self._update.zero_grad()
            return
        self._note_loss(number, loss)

    def _forward_loss(self, batch: Any) -> Any:
        return loss_of(self.pipeline, self.style, batch, self._number)

    _number = 0

    def _note_loss(self, number: int, loss: Any) -> None:
        if isinstance(loss, torch.Tensor) and loss.numel() == 1:
            self._losses.append((number, float(loss.detach())))
        elif isinstance(loss, (int, float)):
            self._losses.append((number, float(loss)))

    def _tell_frames(self, number: int) -> Iterator[Event]:
        self._classic.truncate(self._classic.tell())
        if not self._frames:
            return
        frames, self._frames = tuple(self._frames), []
        self._forecast.extend(frames)
        loss = self._losses[-1][1] if self._losses and self._losses[-1][0] == number else None
        yield Observed(FramesSeen(number, tuple(frame_fact(frame) for frame in frames), loss))
        self._forecast = self._forecast[-5000:]

    def _facts(self) -> WatchFacts:
        forecasts = [found.summary() for found in forecast_fp16(self._forecast)]
        detection = None
        if self._report is not None:
            detection = detection_fact(self._report, self._classic)
        return WatchFacts(
            num_batches=len(self._losses) + (self._ended_by in {"detection", "failure"}),
            num_steps=self._num_steps,
            num_skipped=self._update.num_skipped,
            losses=tuple(self._losses[-1000:]),
            ended_by=self._ended_by,
            detection=detection,
            forecasts=tuple(forecasts[:MAX_FORECASTS]),
            precision=self.precision,
            num_modules=sum(1 for _ in self.model.modules()),
        )
