"""A pipeline from a LightningModule with its loaders."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any

PACKAGES = ("lightning.pytorch", "pytorch_lightning")


def is_lightning_module(thing: Any) -> bool:
    """Whether it is a LightningModule; lightning is not imported for the question."""
    return _is_a(thing, "LightningModule")


def is_lightning_trainer(thing: Any) -> bool:
    """Whether it is a Lightning Trainer."""
    return _is_a(thing, "Trainer")


def _is_a(thing: Any, name: str) -> bool:
    modules = [sys.modules.get(package) for package in PACKAGES]
    kinds = [getattr(module, name) for module in modules if hasattr(module, name)]
    return isinstance(thing, tuple(kinds))


def precision_of_lightning(trainer: Any) -> str:
    """fp32, bf16 or fp16 as the Lightning Trainer says; "" without one or where it does not."""
    said = str(getattr(trainer, "precision", ""))
    if said.startswith("bf16"):
        return "bf16"
    return "fp16" if said.startswith("16") else ""


def configured_optimizers(module: Any) -> tuple[list[Any], list[Any]]:
    """Optimizers and schedulers of `configure_optimizers`, whichever form it returned them in.

    Raises:
        TypeError: The form is none that Lightning knows.
    """
    found = module.configure_optimizers()
    if found is None:
        return [], []
    if isinstance(found, dict):
        return [found["optimizer"]], [_scheduler(found["lr_scheduler"])] if found.get(
            "lr_scheduler"
        ) else []
    if isinstance(found, (list, tuple)):
        return _from_list(list(found))
    if hasattr(found, "param_groups"):
        return [found], []
    raise TypeError(
        f"configure_optimizers returned {type(found).__name__}: an optimizer, a dict with the key "
        f"'optimizer', or lists of optimizers and schedulers are what Lightning takes."
    )


def _from_list(found: list[Any]) -> tuple[list[Any], list[Any]]:
    if len(found) == 2 and isinstance(found[0], (list, tuple)):  # noqa: PLR2004 - optimizers and schedulers
        return list(found[0]), [_scheduler(s) for s in found[1]]
    if all(isinstance(entry, dict) for entry in found):
        schedulers = [_scheduler(e["lr_scheduler"]) for e in found if e.get("lr_scheduler")]
        return [entry["optimizer"] for entry in found], schedulers
    return found, []


def _scheduler(entry: Any) -> Any:
    return entry["scheduler"] if isinstance(entry, dict) else entry


def lightning_loss(module: Any, batch: Any, number: int) -> Any:
    """What `training_step` gives as the loss, after the hooks that change the batch."""
    batch = module.on_before_batch_transfer(batch, 0)
    batch = module.on_after_batch_transfer(batch, 0)
    step = module.training_step
    output = step(batch, number) if _takes_number(step) else step(batch)
    if isinstance(output, Mapping):
        return output.get("loss")
    return output


def _takes_number(step: Any) -> bool:
    kinds = [parameter.kind for parameter in inspect.signature(step).parameters.values()]
    return inspect.Parameter.VAR_POSITIONAL in kinds or len(kinds) > 1
