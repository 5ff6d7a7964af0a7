"""The state of all random number generators, saved and put back."""

from __future__ import annotations

import contextlib
import random
import sys
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

_DEVICES_BY_COUNT = ("cuda", "xpu")


@dataclass(frozen=True)
class RngState:
    """The state of the global generators, as plain data and tensors.

    Attributes:
        python: Of `random`.
        numpy: Of `numpy.random`, None where numpy was not imported.
        cpu: Of torch, uint8 of shape `(bytes,)`, None where torch was not imported.
        devices: Of each kind of device that was in use, one tensor for each device.
    """

    python: tuple[Any, ...]
    numpy: tuple[Any, ...] | None = None
    cpu: torch.Tensor | None = None
    devices: dict[str, list[torch.Tensor]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The state as a dict, which `torch.load(weights_only=True)` can read back."""
        return asdict(self)


@contextlib.contextmanager
def preserved_rng_state() -> Iterator[RngState]:
    """Put all generators back, at the end, to where they were at the beginning.

    Generators of the user's own are not reached. A device that comes into use only inside keeps
    what it got there.
    """
    state = capture_rng_state()
    try:
        yield state
    finally:
        restore_rng_state(state)


def capture_rng_state() -> RngState:
    """Read the state of all generators; what is not imported or not in use is left alone."""
    torch = sys.modules.get("torch")
    return RngState(
        python=random.getstate(),
        numpy=_capture_numpy(),
        cpu=torch.get_rng_state() if torch else None,
        devices=_capture_devices(torch) if torch else {},
    )


def restore_rng_state(state: RngState) -> None:
    """Put the generators back to a state that was captured."""
    random.setstate(state.python)
    if state.numpy is not None:
        sys.modules["numpy"].random.set_state(state.numpy)
    if state.cpu is None:
        return
    torch = sys.modules["torch"]
    torch.set_rng_state(state.cpu)
    for kind, tensors in state.devices.items():
        module = getattr(torch, kind)
        if kind in _DEVICES_BY_COUNT:
            module.set_rng_state_all(tensors)
        else:
            module.set_rng_state(tensors[0])


def _capture_numpy() -> tuple[Any, ...] | None:
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    kind, keys, *rest = numpy.random.get_state()
    return (kind, keys.tolist(), *rest)


def _capture_devices(torch: Any) -> dict[str, list[torch.Tensor]]:
    devices: dict[str, list[torch.Tensor]] = {}
    for kind in _DEVICES_BY_COUNT:
        module = getattr(torch, kind, None)
        # Asking a device that is not in use would start it: seconds, memory, and no fork after it.
        if module is not None and module.is_initialized():
            devices[kind] = list(module.get_rng_state_all())
    if torch.backends.mps.is_available():
        devices["mps"] = [torch.mps.get_rng_state()]
    return devices
