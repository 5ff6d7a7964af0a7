"""A LightningModule as it finds itself in `Trainer.fit`: attached, set up, with its optimizers."""

from __future__ import annotations

import copy
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .from_lightning import PACKAGES, is_lightning_module, lightning_loss
from .lightning_log import stand_in_for_logging

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .parts import Pipeline

LOGGING = ("log", "log_dict")
QUIET = {
    "logger": False,
    "enable_checkpointing": False,
    "enable_progress_bar": False,
    "enable_model_summary": False,
    "accelerator": "cpu",
    "devices": 1,
    "max_epochs": 1000,  # what Lightning itself takes where nothing is said
}
MODULE_STATE = ("_trainer", "_current_fx_name", *LOGGING)
STRATEGY_STATE = (
    "_lightning_module",
    "model",
    "_optimizers",
    "_lightning_optimizers",
    "lr_scheduler_configs",
)


def attach_trainer(pipeline: Pipeline) -> None:
    """Give the module its Trainer, a quiet one where the pipeline has none, and set it up.

    Nothing is logged or written: the Trainer's loggers are replaced, `self.log` only looks
    at what it is given.
    `prepare_data`, `setup("fit")` and `configure_model` are called as `fit` does, since many
    modules make their layers there; not on a module that its own Trainer has run already.
    """
    module: Any = pipeline.model
    trainer = pipeline.lightning or getattr(module, "_trainer", None)
    is_new = getattr(module, "_trainer", None) is None
    if trainer is None:
        trainer = _package_of(module).Trainer(**QUIET)
        pipeline.made_up.add("lightning")
    pipeline.lightning = trainer
    trainer.loggers = [sys.modules[f"{_package_of(module).__name__}.loggers.logger"].DummyLogger()]
    trainer.strategy.connect(module)
    module.trainer = trainer
    trainer.state.fn, trainer.training = "fit", True
    is_fitted = pipeline.train_step is None and pipeline.compute_loss is None
    base = _package_of(module).LightningModule
    is_asked = is_fitted and not getattr(trainer, "barebones", False)
    stand_in_for_logging(module, base if is_asked else None)
    if is_new:
        module.prepare_data()
        module.setup("fit")
        module.configure_model()


def attach_loader(pipeline: Pipeline) -> None:
    """Let the Trainer know its training batches, for `trainer.estimated_stepping_batches`."""
    module: Any = pipeline.model
    if pipeline.dataloader is None and is_overridden(module, "train_dataloader"):
        pipeline.dataloader = module.train_dataloader()
    if pipeline.dataloader is not None:
        connector = pipeline.lightning._data_connector  # noqa: SLF001 - fit() does it so too
        connector.attach_data(module, train_dataloaders=pipeline.dataloader)


def attach_optimizers(pipeline: Pipeline) -> None:
    """Let `self.optimizers()` and `self.lr_schedulers()` find what was configured."""
    strategy: Any = pipeline.lightning.strategy
    module: Any = pipeline.model
    types = sys.modules[f"{_package_of(module).__name__}.utilities.types"]
    strategy.optimizers = list(pipeline.optimizers)
    strategy.lr_scheduler_configs = [types.LRSchedulerConfig(s) for s in pipeline.schedulers]
    if not module.automatic_optimization:
        pipeline.train_step = _manual_step()


def begin_training(module: Any) -> None:
    """Call the hooks in which modules make what their `training_step` needs."""
    module.on_fit_start()
    module.on_train_start()
    module.on_train_epoch_start()


@contextmanager
def attached_as_found(pipeline: Pipeline) -> Iterator[None]:
    """Give a live module and its Trainer back the attributes that they had."""
    module: Any = pipeline.model
    if not is_lightning_module(module):
        yield
        return
    trainer = pipeline.lightning or getattr(module, "_trainer", None)
    put_back = [_keep(module, MODULE_STATE)]
    if trainer is not None:
        put_back += [_keep(trainer, ("_loggers", "state")), _keep(trainer.strategy, STRATEGY_STATE)]
        trainer.state = copy.copy(trainer.state)
    try:
        yield
    finally:
        for restore in put_back:
            restore()


def _keep(thing: Any, names: tuple[str, ...]) -> Callable[[], None]:
    kept = {name: vars(thing)[name] for name in names if name in vars(thing)}

    def restore() -> None:
        for name in names:
            vars(thing).pop(name, None)
        vars(thing).update(kept)

    return restore


def _manual_step() -> Callable[..., Any]:
    """The module's `training_step` as a loop body: with manual optimization it is one."""
    number = 0

    def training_step(model: Any, batch: Any, optimizer: Any, state: Any) -> Any:  # noqa: ARG001 - what a train_step takes
        nonlocal number
        loss = lightning_loss(model, batch, number)
        number += 1
        return loss

    return training_step


def is_overridden(module: Any, name: str) -> bool:
    """Whether a method is the module's own, and not what every LightningModule has."""
    base = _package_of(module).LightningModule
    return getattr(type(module), name, None) is not getattr(base, name, None)


def is_of_package(trainer: Any, name: str) -> bool:
    """Whether a Trainer is of the package of this name."""
    package = sys.modules.get(name)
    return package is not None and isinstance(trainer, package.Trainer)


def _package_of(module: Any) -> Any:
    """The package whose LightningModule it is: the two names are two packages."""
    packages = [sys.modules[name] for name in PACKAGES if name in sys.modules]
    return next(p for p in packages if isinstance(module, p.LightningModule))
