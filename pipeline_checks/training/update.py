"""One optimizer update: backward of each batch, then clipping and the step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from .precision import autocast_to

if TYPE_CHECKING:
    from .loop_arguments import LoopArguments
    from .training_parts import TrainingParts


class Update:
    """Does the parts of an update for a `TrainingLoop`, which fires the events between them.

    Nothing here waits for the device, but a GradScaler, which must know whether gradients are
    finite.

    Attributes:
        num_skipped: Updates that the scaler skipped because gradients were not finite.
        grad_norm: Norm of all gradients at the last update before they were clipped; None without
            clipping.
        learning_rate: Of the first group, as the last update used it.
    """

    def __init__(self, parts: TrainingParts, args: LoopArguments) -> None:
        self.parts = parts
        self.args = args
        self.num_skipped = 0
        self.grad_norm: torch.Tensor | None = None
        self.learning_rate: float | torch.Tensor = math.nan

    def backward(self, batch: Any, num_batches: int) -> torch.Tensor:
        """Add the gradients of one batch of `num_batches`; gives its share of the mean loss.

        Raises:
            TypeError: `forward_loss` returns no tensor.
        """
        if self.parts.forward_loss is None:
            raise ValueError("the parts have a train_step, which runs backward itself")
        with autocast_to(self.args.precision, self.args.device):
            loss = self.parts.forward_loss(batch)
        if not isinstance(loss, torch.Tensor):
            raise TypeError(f"forward_loss must return a scalar tensor, it returned {loss!r}")
        share = loss / num_batches if num_batches > 1 else loss
        scaler = self.parts.scaler
        scaled: torch.Tensor = scaler.scale(share) if scaler else share
        scaled.backward()  # type: ignore[no-untyped-call]  # torch's own
        return share.detach()

    def prepare(self) -> None:
        """Unscale the gradients, and clip the norm over all of the model."""
        if self.parts.scaler:
            for optimizer in self.parts.optimizers:
                self.parts.scaler.unscale_(optimizer)
        limit = self.args.max_grad_norm
        if limit > 0:
            self.grad_norm = torch.nn.utils.clip_grad_norm_(self.parts.model.parameters(), limit)

    def step(self) -> bool:
        """Step all optimizers; says whether they did, which a scaler decides."""
        self._note_learning_rate()
        scaler = self.parts.scaler
        if scaler is None:
            for optimizer in self.parts.optimizers:
                optimizer.step()
            return True
        scale = scaler.get_scale()
        for optimizer in self.parts.optimizers:
            scaler.step(optimizer)
        scaler.update()
        was_skipped = scaler.get_scale() < scale
        self.num_skipped += was_skipped
        return not was_skipped

    def step_schedulers(self) -> None:
        """Step the schedulers that count updates."""
        for scheduler in self.parts.schedulers:
            if not watches_metric(scheduler):
                scheduler.step()

    def zero_grad(self) -> None:
        """Drop all gradients, also of parameters that no optimizer holds."""
        self.parts.model.zero_grad()
        for optimizer in self.parts.optimizers:
            optimizer.zero_grad()

    def _note_learning_rate(self) -> None:
        groups = [group for optimizer in self.parts.optimizers for group in optimizer.param_groups]
        if groups:
            rate = groups[0]["lr"]
            # A scheduler changes a rate that is a tensor in place.
            self.learning_rate = rate.clone() if isinstance(rate, torch.Tensor) else rate


def watches_metric(scheduler: Any) -> bool:
    """Whether a scheduler is stepped with a metric after each evaluation."""
    return isinstance(scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau)
