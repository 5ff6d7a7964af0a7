"""One batch of training with the pipeline's own parts, and its loss."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any

import torch

from ..observe.stopped_run import StoppedRun, as_it_was
from ..pipeline.loss_style import loss_of, style_of
from ..stages.device import moved
from ..training import TrainingParts
from ..training.precision import autocast_to
from ..training.update import Update
from .loop_settings import loop_arguments
from .other_ranks import NoOtherRanks

if TYPE_CHECKING:
    from ..pipeline.parts import Pipeline


class NonFiniteLossError(Exception):
    """The loss is nan or inf though every output of the model was finite; `value` is it."""

    def __init__(self, value: float) -> None:
        self.value = value
        super().__init__(f"the loss is {value}")


class BatchTraining:
    """Trains batch by batch as the pipeline would: its loss, optimizers, schedulers, scaler.

    Args:
        pipeline: The parts.
        precision: fp32, bf16 or fp16.
        device: Where it runs.
        others: The other ranks that train with this one.

    Attributes:
        model: The model that is trained.
        scaler: The GradScaler, None without one.
        style: How the loss is computed; found at the first batch.
        losses: Batch and loss, the last thousand.
        num_steps: Optimizer steps that were taken; calls, with a `train_step`.
        num_skipped: Steps that the scaler skipped.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        precision: str,
        device: torch.device,
        others: NoOtherRanks | None = None,
    ) -> None:
        model: Any = pipeline.model
        self.model = model
        self.style = ""
        self.losses: list[tuple[int, float]] = []
        self.num_steps = 0
        self._pipeline, self._precision, self._device = pipeline, precision, device
        self._arguments = loop_arguments(pipeline, precision, device)
        parts = TrainingParts(
            model,
            batches=tuple,
            optimizer=pipeline.optimizers,
            forward_loss=self._forward_loss,
            scheduler=pipeline.scheduler,
            scaler=pipeline.scaler,
        )
        if pipeline.train_step is None:
            parts = parts.with_scaler(precision, str(device))
        self.scaler = parts.scaler
        self._update = Update(parts, self._arguments)
        self._others = others or NoOtherRanks()
        self._user_state: dict[str, Any] = {}
        self._before: tuple[Any, dict[str, Any]] = ((), {})
        self._number = self._num_waiting = 0
        self._may_raise = True

    @property
    def num_skipped(self) -> int:
        """Steps that the scaler skipped because gradients were not finite."""
        return self._update.num_skipped

    @property
    def num_accumulated(self) -> int:
        """Batches to one optimizer step."""
        return 1 if self.style == "train_step" else self._arguments.gradient_accumulation_steps

    def run(
        self, batch: Any, number: int, *, may_raise: bool = True, is_last: bool = False
    ) -> None:
        """Train on one batch; what the user's code raises passes through.

        Args:
            batch: The batch, on any device.
            number: Counted from 0.
            may_raise: Whether a loss that is not finite is raised before its backward.
            is_last: Whether no batch follows, so that gradients that wait are stepped with.

        Raises:
            NonFiniteLossError: The loss is nan or inf.
        """
        self._number, self._may_raise = number, may_raise
        if not self._num_waiting:
            self._others.begin_window()
        batch = moved(batch, self._device)
        self.style = self.style or style_of(self._pipeline, batch)
        if self.style == "train_step":
            step: Any = self._pipeline.train_step
            self._before = as_it_was(batch), copy.copy(self._user_state)
            loss = step(self.model, batch, self._pipeline.optimizer, self._user_state)
            self.num_steps += 1
            self._take_loss(loss)
            return
        self._update.backward(batch, self.num_accumulated)
        self._num_waiting += 1
        if self._num_waiting == self.num_accumulated or is_last:
            self._step()

    def replay_loss(self, batch: Any) -> Any:
        """The loss of the batch once more, for looking at it; nothing is stepped."""
        self._may_raise = False
        with autocast_to(self._precision, str(self._device)):
            return loss_of(self._pipeline, self.style, moved(batch, self._device), self._number)

    def replay_step(self) -> Any:
        """What goes back in the last batch's `train_step`, run again up to its first step.

        It has the fields that the batch had, and a copy of the state; nothing is stepped. What else
        the user's code does, it does once more.
        """
        step: Any = self._pipeline.train_step
        batch, state = self._before
        run, loss = StoppedRun(), None
        with run.stopping():
            loss = step(self.model, batch, self._pipeline.optimizer, copy.copy(state))
        return run.roots or loss

    def _step(self) -> None:
        self._num_waiting = 0
        self._others.share_gradients(self.model)
        self._update.prepare()
        if self._update.step():
            self.num_steps += 1
            self._update.step_schedulers()
        self._update.zero_grad()

    def _forward_loss(self, batch: Any) -> Any:
        loss = loss_of(self._pipeline, self.style, batch, self._number)
        self._take_loss(loss)
        return loss

    def _take_loss(self, loss: Any) -> None:
        value = _number_in(loss)
        if value is None:
            return
        self.losses = [*self.losses[-999:], (self._number, value)]
        if self._may_raise and not math.isfinite(value):
            raise NonFiniteLossError(value)


def _number_in(loss: Any) -> float | None:
    if isinstance(loss, torch.Tensor):
        return float(loss.detach()) if loss.numel() == 1 and not loss.is_complex() else None
    return float(loss) if isinstance(loss, (int, float)) else None
