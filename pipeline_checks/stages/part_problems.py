"""Why what a factory gave cannot serve as the part that it is meant to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ..listed import listed
from ..pipeline.from_lightning import is_lightning_trainer
from ..pipeline.from_trainer import is_trainer

if TYPE_CHECKING:
    from collections.abc import Callable


def problem_of(name: str, value: Any) -> str:
    """Why the value cannot serve, "" if it can."""
    test = TESTS.get(name)
    return test(value) if test is not None else ""


def _named(value: Any) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__} itself, not an instance of it"
    return "None" if value is None else f"a {type(value).__name__}"


def _model(value: Any) -> str:
    if isinstance(value, nn.Module):
        return ""
    return f"the model is {_named(value)}, and no torch.nn.Module."


def _dataset(value: Any) -> str:
    if hasattr(type(value), "__getitem__") or hasattr(type(value), "__iter__"):
        return ""
    return f"the dataset is {_named(value)}, which has neither __getitem__ nor __iter__."


def _dataloader(value: Any) -> str:
    if hasattr(type(value), "__iter__"):
        return ""
    return f"the loader is {_named(value)}, which cannot be iterated."


def _callable(word: str) -> Callable[[Any], str]:
    return lambda value: (
        "" if callable(value) else f"{word} is {_named(value)}, which cannot be called."
    )


def _optimizer(value: Any) -> str:
    optimizers = listed(value)
    for optimizer in optimizers:
        groups = getattr(optimizer, "param_groups", None)
        if not isinstance(optimizer, torch.optim.Optimizer) and not isinstance(groups, list):
            return f"the optimizer is {_named(optimizer)}, and no torch.optim.Optimizer."
    if not any(group["params"] for optimizer in optimizers for group in optimizer.param_groups):
        return "the optimizer holds no parameters."
    return ""


def _trainer(value: Any) -> str:
    if is_trainer(value) or is_lightning_trainer(value):
        return ""
    return f"build_trainer gave {_named(value)}, and no Trainer of Hugging Face or Lightning."


TESTS: dict[str, Callable[[Any], str]] = {
    "model": _model,
    "dataset": _dataset,
    "dataloader": _dataloader,
    "collate_fn": _callable("collate_fn"),
    "loss": _callable("the loss"),
    "optimizer": _optimizer,
    "trainer": _trainer,
}
