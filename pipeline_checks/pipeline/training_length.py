"""How often training is going to step a scheduler, where the Trainer says so."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .parts import Pipeline


@dataclass(frozen=True)
class TrainingLength:
    """How long training is, counted in steps of one scheduler, on one process.

    Attributes:
        num_steps: Steps of the scheduler until the end of training.
        per_epoch: Updates of the weights in one epoch.
        num_epochs: Epochs, where training is counted in them.
        is_by_epoch: Whether the scheduler steps once an epoch, not once an update.
    """

    num_steps: int
    per_epoch: int
    num_epochs: int | None
    is_by_epoch: bool = False


def training_length(pipeline: Pipeline, number: int) -> TrainingLength | None:
    """The length for this scheduler; None where the loop is nobody's that tells it.

    A scheduler that a Hugging Face Trainer has made itself fits by right.
    """
    scheduler = pipeline.schedulers[number]
    try:
        if pipeline.trainer is not None:
            return _of_trainer(pipeline.trainer, pipeline.dataloader, scheduler)
        if pipeline.lightning is not None and "lightning" not in pipeline.made_up:
            return _of_lightning(pipeline, number)
    except Exception:  # noqa: BLE001 - the user's own loader may raise anything when asked
        return None
    return None


def _of_trainer(trainer: Any, loader: Any, scheduler: Any) -> TrainingLength | None:
    is_own = trainer.lr_scheduler is scheduler
    if not is_own or getattr(trainer, "_created_lr_scheduler", False):
        return None
    arguments = trainer.args
    per_epoch = max(math.ceil(len(loader) / arguments.gradient_accumulation_steps), 1)
    if arguments.max_steps > 0:
        return TrainingLength(arguments.max_steps, per_epoch, None)
    num_steps = math.ceil(arguments.num_train_epochs * per_epoch)
    return TrainingLength(num_steps, per_epoch, math.ceil(arguments.num_train_epochs))


def _of_lightning(pipeline: Pipeline, number: int) -> TrainingLength | None:
    """Counted as `trainer.estimated_stepping_batches` counts, which would load the data anew."""
    trainer: Any = pipeline.lightning
    intervals = pipeline.intervals[number:]
    interval, frequency = intervals[0] if intervals else ("epoch", 1)
    is_own = not getattr(pipeline.model, "automatic_optimization", True)
    if is_own or trainer.max_epochs in {None, -1}:
        return None  # the module steps its schedulers itself, or training has no end
    per_epoch = max(math.ceil(_num_batches(pipeline) / trainer.accumulate_grad_batches), 1)
    num_epochs = max(int(trainer.max_epochs), 1)
    updates = per_epoch * num_epochs
    if trainer.max_steps not in {None, -1}:
        updates = min(updates, trainer.max_steps)
        num_epochs = math.ceil(updates / per_epoch)
    is_by_epoch = interval != "step"
    steps = num_epochs if is_by_epoch else updates
    return TrainingLength(steps // frequency, per_epoch, num_epochs, is_by_epoch)


def _num_batches(pipeline: Pipeline) -> int:
    loader: Any = pipeline.dataloader
    limit = getattr(pipeline.lightning, "limit_train_batches", 1.0)
    return min(len(loader), limit) if isinstance(limit, int) else int(len(loader) * limit)
