"""Put a model and a batch on a device."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import torch

from ..nested import is_named_tuple

if TYPE_CHECKING:
    from torch import nn

    from ..session import Session


def pick_device(name: str) -> torch.device:
    """The device of this name; `auto` is the first that exists of cuda, mps, cpu."""
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    return torch.device(name)


def choose_device(session: Session, model: nn.Module | None) -> tuple[torch.device, str, str]:
    """Where the batches run, where they are to run as well, and what there is to say about it.

    The CPU comes first, unless the user's own code has put the model elsewhere. A device that this
    machine has not is no mistake: the same spec serves a desk with a GPU and a CI machine without.

    Returns:
        The device; the name of the device that was asked for, where that is another one; a sentence
        where that one is not there, else "".
    """
    cpu, name = torch.device("cpu"), session.settings.device
    own = next((p.device for p in model.parameters()), cpu) if model is not None else cpu
    if own.type != "cpu":
        return own, "", ""
    if name == "cpu":
        return cpu, "", ""
    if not has_device(name):
        return cpu, "", f"this machine has no device {name!r}: the CPU alone was used."
    wanted = pick_device(name)
    if session.is_on_device or wanted.type == "cpu":
        return wanted, "", ""
    return cpu, str(wanted), ""


def has_device(name: str) -> bool:
    """Whether values can be computed on the device of this name."""
    try:
        torch.zeros(1, device=pick_device(name)).item()
    except (RuntimeError, AssertionError, NotImplementedError):
        return False
    return True


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
