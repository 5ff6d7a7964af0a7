"""Put a model and a batch on a device."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch

from ..nested import is_named_tuple


def pick_device(name: str) -> torch.device:
    """The device of this name; `auto` is the first that exists of cuda, mps, cpu."""
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    return torch.device(name)


def lacks_device(name: str) -> str:
    """Why nothing can be run on the device of this name; "" if it can."""
    if name == "auto":
        return ""
    try:
        torch.zeros(1, device=torch.device(name)).item()
    except (RuntimeError, AssertionError, NotImplementedError):
        return f"there is no device {name!r} on this machine that values can be computed on."
    return ""


def moved(value: Any, device: torch.device) -> Any:
    """The nested structure with every tensor on the device; what is no container stays as it is."""
    if callable(getattr(value, "to", None)):
        return value.to(device)  # tensors, transformers' BatchEncoding, PackedSequence
    if type(value) is dict:
        return {key: moved(item, device) for key, item in value.items()}
    if is_named_tuple(value):
        return type(value)(*(moved(item, device) for item in value))
    if type(value) in {list, tuple}:
        return type(value)(moved(item, device) for item in value)
    return _moved_fields(value, device)


def _moved_fields(value: Any, device: torch.device) -> Any:
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    names = [field.name for field in dataclasses.fields(value) if field.init]
    changes = {name: moved(getattr(value, name), device) for name in names}
    return dataclasses.replace(value, **changes)
