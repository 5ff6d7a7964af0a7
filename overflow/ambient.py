"""The modes that a forward runs in, so that a second run can be made in the same ones."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class AmbientModes:
    """Gradient, inference and autocast modes at one moment.

    Attributes:
        grad: Whether gradients are enabled.
        inference: Whether inference mode is on.
        autocast: Device type and dtype of each enabled autocast.
    """

    grad: bool
    inference: bool
    autocast: tuple[tuple[str, torch.dtype], ...]

    @classmethod
    def capture(cls, device_types: tuple[str, ...]) -> AmbientModes:
        """Read the modes of this thread for the given device types."""
        enabled = tuple(
            (device, torch.get_autocast_dtype(device))
            for device in device_types
            if torch.is_autocast_enabled(device)
        )
        return cls(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), enabled)

    @contextmanager
    def applied(self, device_types: tuple[str, ...]) -> Iterator[None]:
        """Run a block in these modes, whatever the modes around it are.

        Hooks on saved tensors, as gradient checkpointing sets them, are kept out of the block.
        """
        wanted = dict(self.autocast)
        with ExitStack() as stack:
            stack.enter_context(torch.inference_mode(self.inference))
            stack.enter_context(torch.set_grad_enabled(self.grad))
            for device in device_types:
                mode = torch.autocast(device, dtype=wanted.get(device), enabled=device in wanted)
                stack.enter_context(mode)
            hooks = torch.autograd.graph.saved_tensors_hooks(_unchanged, _unchanged)
            stack.enter_context(hooks)
            yield


def _unchanged(tensor: Tensor) -> Tensor:
    return tensor
