"""A pipeline from a LightningModule with its loaders."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

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


def refuses_what_it_cannot_fit(module: Any) -> bool:
    """Whether its Lightning is 2.0 or later, whose rules for optimizers and metrics are known."""
    packages = [sys.modules[name] for name in PACKAGES if name in sys.modules]
    version = next(p.__version__ for p in packages if isinstance(module, p.LightningModule))
    return int(str(version).split(".", maxsplit=1)[0]) >= 2  # noqa: PLR2004 - the rules changed there


def precision_of_lightning(trainer: Any) -> str:
    """fp32, bf16 or fp16 as the Lightning Trainer says; "" without one or where it does not."""
    said = str(getattr(trainer, "precision", ""))
    if said.startswith("bf16"):
        return "bf16"
    return "fp16" if said.startswith("16") else ""


class Configured(NamedTuple):
    """What `configure_optimizers` returned; `intervals` as in `Pipeline`.

    Each scheduler has an entry, the dict that says how it is stepped; `is_none` where None was
    returned.
    """

    optimizers: list[Any]
    schedulers: list[Any]
    intervals: tuple[tuple[str, int], ...] = ()
    entries: tuple[dict[str, Any], ...] = ()
    is_none: bool = False


def configured_optimizers(module: Any) -> Configured:
    """Optimizers and schedulers of `configure_optimizers`, whichever form it returned them in.

    Raises:
        TypeError: The form is none that Lightning knows.
    """
    found = module.configure_optimizers()
    if found is None:
        return Configured([], [], is_none=True)
    if isinstance(found, dict):
        return _with_schedulers([found["optimizer"]], _entries_of(found))
    if isinstance(found, (list, tuple)):
        return _from_list(list(found))
    if hasattr(found, "param_groups"):
        return Configured([found], [])
    raise TypeError(
        f"configure_optimizers returned {type(found).__name__}: an optimizer, a dict with the key "
        f"'optimizer', or lists of optimizers and schedulers are what Lightning takes."
    )


def _from_list(found: list[Any]) -> Configured:
    if len(found) == 2 and isinstance(found[0], (list, tuple)):  # noqa: PLR2004 - optimizers and schedulers
        given = found[1] if isinstance(found[1], (list, tuple)) else [found[1]]
        return _with_schedulers(list(found[0]), list(given))
    if all(isinstance(entry, dict) for entry in found):
        entries = [e["lr_scheduler"] for e in found if e.get("lr_scheduler")]
        return _with_schedulers([entry["optimizer"] for entry in found], entries)
    return Configured(found, [])


def _entries_of(found: dict[str, Any]) -> list[Any]:
    """The scheduler of one dict; a scheduler that stands alone is given its `monitor`."""
    scheduler = found.get("lr_scheduler")
    if not scheduler or isinstance(scheduler, dict):
        return [scheduler] if scheduler else []
    return [{"scheduler": scheduler, "monitor": found.get("monitor")}]


def _with_schedulers(optimizers: list[Any], entries: list[Any]) -> Configured:
    """A scheduler comes alone, or in a dict that says when it is stepped."""
    full = [entry if isinstance(entry, dict) else {"scheduler": entry} for entry in entries]
    intervals = [(str(e.get("interval", "epoch")), int(e.get("frequency", 1))) for e in full]
    return Configured(optimizers, [e["scheduler"] for e in full], tuple(intervals), tuple(full))


def lightning_loss(module: Any, batch: Any, number: int) -> Any:
    """What `training_step` gives as the loss, after the hooks that change the batch.

    A dict without a loss is given as it is, so that it can be told what is in it.
    """
    batch = module.on_before_batch_transfer(batch, 0)
    batch = module.on_after_batch_transfer(batch, 0)
    step = module.training_step
    output = step(batch, number) if _takes_number(step) else step(batch)
    if isinstance(output, Mapping):
        return output.get("loss", output)
    return output


def _takes_number(step: Any) -> bool:
    kinds = [parameter.kind for parameter in inspect.signature(step).parameters.values()]
    return inspect.Parameter.VAR_POSITIONAL in kinds or len(kinds) > 1
