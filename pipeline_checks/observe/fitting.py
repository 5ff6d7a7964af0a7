"""Look at what a LightningModule gives `Trainer.fit` before its first batch."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from torch.optim.lr_scheduler import ReduceLROnPlateau

from ..facts.fitting import ConfiguredScheduler, FittingFacts
from .function_tree import means_to_return_nothing
from .model import definition_of

if TYPE_CHECKING:
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
    return FittingFacts(
        module=type(module).__name__,
        is_automatic=bool(module.automatic_optimization),
        has_lost_optimizers=configured.is_none and not means_to_return_nothing(configure),
        optimizers=tuple(type(one).__name__ for one in configured.optimizers),
        takes_optimizer_index="optimizer_idx" in inspect.signature(module.training_step).parameters,
        schedulers=tuple(_scheduler(entry) for entry in configured.entries),
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
