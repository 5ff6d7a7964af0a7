"""Stand-ins for `self.log` and `self.log_dict`: they log nothing, and refuse what those refuse."""

from __future__ import annotations

import inspect
import numbers
import sys
from collections.abc import Mapping
from typing import Any

import torch


def stand_in_for_logging(module: Any, base: Any) -> None:
    """Give a LightningModule stand-ins, since its own work only inside the Trainer's loops.

    Args:
        module: The LightningModule.
        base: The class of Lightning, None where Lightning would not look at what is logged. For a
            method that is not of this class, nothing is refused: it may change what it is given.
    """
    for name, refuse in (("log", _refuse_value), ("log_dict", _refuse_values)):
        is_asked = base is not None and getattr(type(module), name) is getattr(base, name)
        setattr(module, name, _stand_in(base, name, refuse) if is_asked else _log_nothing)


def _log_nothing(*args: Any, **kwargs: Any) -> None:
    """Take what is logged and forget it."""


def _stand_in(base: Any, name: str, refuse: Any) -> Any:
    signature = inspect.signature(getattr(base, name))

    def log(*args: Any, **kwargs: Any) -> None:
        try:
            given = signature.bind(None, *args, **kwargs).args
        except TypeError as error:
            raise TypeError(f"self.{name}(): {error}") from None
        refuse(*given[1:])

    return log


def _refuse_values(dictionary: Any, *_options: Any) -> None:
    if not isinstance(dictionary, torch.nn.Module):  # a MetricCollection, which is asked at the end
        for name, value in dictionary.items():
            _refuse_value(name, value)


def _refuse_value(name: Any, value: Any, *_options: Any) -> None:
    """Raise what `self.log` raises for a value that is no single number.

    Raises:
        ValueError: A tensor of several elements, a text, None, an array, a dict in a dict.
    """
    entries = value.values() if isinstance(value, Mapping) else [value]
    for entry in entries:
        problem = _problem_of(entry)
        if problem:
            raise ValueError(f"self.log({name!r}, ...) was given {problem}")


def _problem_of(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return "" if value.numel() == 1 else _several(value)
    if isinstance(value, (list, tuple, numbers.Number)) or _is_metric(value):
        return ""
    if isinstance(value, (str, type(None), Mapping)) or type(value).__module__ == "numpy":
        return f"a value of type {type(value).__name__}: Lightning logs numbers and tensors alone."
    return ""


def _several(value: torch.Tensor) -> str:
    dtype = str(value.dtype).removeprefix("torch.")
    mean = ".mean()" if value.is_floating_point() or value.is_complex() else ".float().mean()"
    return (
        f"a tensor {list(value.shape)} {dtype} of {value.numel()} elements: Lightning logs single "
        f"numbers, so log its {mean}."
    )


def _is_metric(value: Any) -> bool:
    metric = getattr(sys.modules.get("torchmetrics"), "Metric", None)
    return metric is not None and isinstance(value, metric)
