"""The validation of a LightningModule as `Trainer.fit` runs it: loaders, hooks, steps."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from ..training import Prediction
from .from_lightning import PACKAGES, is_lightning_module
from .lightning_trainer import is_of_package, is_overridden

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import nn

    from .parts import Pipeline

BEFORE = ("on_validation_start", "on_validation_epoch_start")
AFTER = ("on_validation_epoch_end", "on_validation_end")
LOOP_STATE = ("_combined_loader", "_max_batches")
ORIGIN = "val_dataloader()"


def has_validation_loader(pipeline: Pipeline) -> bool:
    """Whether the module brings loaders of its own, and the Trainer does not leave them out."""
    is_left_out = getattr(pipeline.lightning, "limit_val_batches", 1.0) == 0
    if is_left_out or not is_lightning_module(pipeline.model):
        return False
    return is_overridden(pipeline.model, "val_dataloader")


def validation_loaders(pipeline: Pipeline) -> list[tuple[str, Any]]:
    """All loaders of the module, by name: `val_dataloader()[1]` where they are several."""
    module: Any = pipeline.model
    given = module.val_dataloader()
    if given is None:
        return []
    if type(given).__name__ == "CombinedLoader":
        if getattr(given, "_mode", "") != "sequential":
            return [(ORIGIN, _CombinedBatches(given))]
        given = given.iterables
    found = list(_named(given, ORIGIN))
    return [(ORIGIN, found[0][1])] if len(found) == 1 else found


def _named(loaders: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(loaders, Mapping):
        for key, value in loaders.items():
            yield from _named(value, f"{path}[{key!r}]")
    elif isinstance(loaders, (list, tuple)):
        for number, value in enumerate(loaders):
            yield from _named(value, f"{path}[{number}]")
    else:
        yield path, loaders


class _CombinedBatches:
    """The batches of a loader that draws from several at once, without their numbers."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __iter__(self) -> Iterator[Any]:
        for batch, *_ in self._loader:
            yield batch


class ValidationSteps:
    """Calls `validation_step`, and what is called around it, on the batches of one loader.

    Args:
        module: The LightningModule.
        loader_number: Which of its loaders; None where it has one alone.
    """

    def __init__(self, module: Any, loader_number: int | None = None) -> None:
        self._loader = {} if loader_number is None else {"dataloader_idx": loader_number}
        takes = inspect.signature(module.validation_step).parameters
        self._has_number = "batch_idx" in takes or len(takes) > 1 or _takes_any(takes.values())
        self._number = 0

    def __call__(self, model: nn.Module, batch: Any) -> Prediction:
        """The loss of the next batch, where the step returns one."""
        module: Any = model
        place = next(iter(self._loader.values()), 0)
        batch = module.on_before_batch_transfer(batch, place)
        batch = module.on_after_batch_transfer(batch, place)
        given = (batch, self._number, *self._loader.values())
        self._number += 1
        module.on_validation_batch_start(*given)
        step_given = given if self._has_number else (batch, *self._loader.values())
        output = module.validation_step(*step_given)
        module.on_validation_batch_end(output, *given)
        loss = output.get("loss") if isinstance(output, Mapping) else output
        is_loss = isinstance(loss, torch.Tensor) and loss.numel() == 1
        return Prediction(loss if is_loss else None, None, None)


def _takes_any(parameters: Any) -> bool:
    return any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)


@contextmanager
def validating(pipeline: Pipeline, loaders: list[Any]) -> Iterator[list[str]]:
    """Let the module believe that its Trainer validates within `fit`.

    Hooks after the last batch may ask for what was logged, which nothing was here: what they raise
    is no fault of the module.

    Args:
        pipeline: The parts; the module is attached to its Trainer.
        loaders: What `trainer.val_dataloaders` gives meanwhile.

    Yields:
        What the hooks after the last batch raised, filled when the block has ended.
    """
    module, trainer = pipeline.model, pipeline.lightning
    raised: list[str] = []
    with _attached(trainer, loaders):
        for hook in BEFORE:
            getattr(module, hook)()
        if is_overridden(module, "on_validation_model_eval"):
            module.on_validation_model_eval()  # type: ignore[union-attr, operator] # a LightningModule
        try:
            yield raised
        finally:
            for hook in AFTER:
                raised.extend(_call_anyway(module, hook))


def _call_anyway(module: Any, hook: str) -> list[str]:
    try:
        getattr(module, hook)()
    except Exception as error:  # noqa: BLE001 - the user's hook may raise anything
        return [f"{hook} raised {type(error).__name__}: {error}"]
    return []


@contextmanager
def _attached(trainer: Any, loaders: list[Any]) -> Iterator[None]:
    """The Trainer's fields as they are while it validates; where it lacks one nothing is set."""
    loop = getattr(getattr(trainer.fit_loop, "epoch_loop", None), "val_loop", None)
    before = {name: vars(loop)[name] for name in LOOP_STATE if loop and name in vars(loop)}
    combined = _combined(trainer, loaders)
    trainer.validating = True
    if combined is not None and set(before) == set(LOOP_STATE):
        loop._combined_loader = combined  # type: ignore[union-attr] # noqa: SLF001 - what trainer.val_dataloaders reads
        loop._max_batches = [_length(loader) for loader in loaders]  # type: ignore[union-attr] # noqa: SLF001 - and trainer.num_val_batches
    try:
        yield
    finally:
        trainer.training = True
        if loop is not None:
            vars(loop).update(before)


def _combined(trainer: Any, loaders: list[Any]) -> Any:
    package = next(p for p in PACKAGES if is_of_package(trainer, p))
    module = sys.modules.get(f"{package}.utilities.combined_loader")
    given = loaders[0] if len(loaders) == 1 else loaders
    return None if module is None else module.CombinedLoader(given, "sequential")


def _length(loader: Any) -> float:
    try:
        return len(loader)
    except Exception:  # noqa: BLE001 - the user's __len__ may raise anything
        return float("inf")
