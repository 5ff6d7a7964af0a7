"""Look at what a LightningModule gives `Trainer.fit` before its first batch."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from torch.optim.lr_scheduler import ReduceLROnPlateau

from ..facts.fitting import ConfiguredScheduler, FittingFacts, LoggedNames, WatchedMetric
from ..pipeline.lightning_trainer import is_overridden
from .function_tree import means_to_return_nothing
from .logged_names import find_logged_names
from .model import definition_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..pipeline.from_lightning import Configured
    from ..pipeline.parts import Pipeline
    from .user_code import UserCode


def look_at_fitting(pipeline: Pipeline, code: UserCode) -> FittingFacts:
    """What it configured, and whether its `training_step` is one of Lightning 1.

    Args:
        pipeline: Its model is a LightningModule, and `configured` what that has returned.
        code: Which code is the user's.
    """
    module: Any = pipeline.model
    configured: Configured = pipeline.configured
    configure = type(module).configure_optimizers
    schedulers = tuple(_scheduler(entry) for entry in configured.entries)
    has_validation = _has_validation(module, pipeline.lightning)
    watched = tuple(_watched(pipeline, schedulers, has_validation=has_validation))
    return FittingFacts(
        module=type(module).__name__,
        is_automatic=bool(module.automatic_optimization),
        has_lost_optimizers=configured.is_none and not means_to_return_nothing(configure),
        optimizers=tuple(type(one).__name__ for one in configured.optimizers),
        takes_optimizer_index="optimizer_idx" in inspect.signature(module.training_step).parameters,
        schedulers=schedulers,
        watched=watched,
        logged=_logged(pipeline, code, has_validation=has_validation) if watched else LoggedNames(),
        has_validation=has_validation,
        configured_at=definition_of(configure, code),
        step_at=definition_of(type(module).training_step, code),
    )


def _scheduler(entry: dict[str, Any]) -> ConfiguredScheduler:
    scheduler = entry["scheduler"]
    is_plateau = entry.get("reduce_on_plateau", isinstance(scheduler, ReduceLROnPlateau))
    monitor = entry.get("monitor")
    return ConfiguredScheduler(
        type(scheduler).__name__,
        is_plateau=bool(is_plateau),
        monitor="" if monitor is None else str(monitor),
        is_strict=bool(entry.get("strict", True)),
        frequency=int(entry.get("frequency", 1)),
    )


def _has_validation(module: Any, trainer: Any) -> bool:
    is_left_out = getattr(trainer, "limit_val_batches", 1.0) == 0
    return is_overridden(module, "validation_step") and not is_left_out


def _logged(pipeline: Pipeline, code: UserCode, *, has_validation: bool) -> LoggedNames:
    without = "" if has_validation else "validation"
    return find_logged_names(pipeline.model, pipeline.lightning.callbacks, code, without)


def _watched(
    pipeline: Pipeline, schedulers: tuple[ConfiguredScheduler, ...], *, has_validation: bool
) -> Iterator[WatchedMetric]:
    trainer, module = pipeline.lightning, pipeline.model
    for scheduler in schedulers if getattr(module, "automatic_optimization", False) else ():
        is_stepped = scheduler.frequency == 1 and scheduler.is_strict
        if scheduler.is_plateau and scheduler.monitor and is_stepped:
            yield WatchedMetric(scheduler.type, scheduler.monitor)
    if getattr(trainer, "fast_dev_run", False):
        return
    for callback in trainer.callbacks:
        name = type(callback).__name__
        monitor = getattr(callback, "monitor", None)
        if type(callback).__module__.startswith(("lightning.", "pytorch_lightning.")) and monitor:
            is_needed = _is_needed(callback, has_validation=has_validation)
            if is_needed is not None:
                yield WatchedMetric(name, str(monitor), is_needed=is_needed)


def _is_needed(callback: Any, *, has_validation: bool) -> bool | None:
    """Whether `fit` raises without the metric; None where nothing is known to go wrong."""
    if type(callback).__name__ == "EarlyStopping":
        is_run = has_validation or vars(callback).get("_check_on_train_epoch_end") is not False
        return True if callback.strict and is_run else None
    if type(callback).__name__ == "ModelCheckpoint" and callback.save_top_k != 0:
        return False  # it raises only where a validation has run, which the loaders decide
    return None
