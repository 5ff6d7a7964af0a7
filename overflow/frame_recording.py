"""Recording the frames of a run, without detection."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from .frames import Frame, ModuleCall, Row, build_frame
from .module_tracker import ModuleTracker
from .stats import measure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import nn


@contextmanager
def record_frames(model: nn.Module, batch_number: int | None = None) -> Iterator[list[Frame]]:
    """Record a frame for each forward of each module inside the block.

    Args:
        model: The model; its hooks are gone after the block.
        batch_number: The number that the frames are to carry.

    Example:
        >>> model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
        >>> with record_frames(model) as frames:
        ...     _ = model(torch.ones(1, 2))
        >>> [frame.module_class for frame in frames]
        ['Linear', 'ReLU', 'Sequential']
    """
    frames: list[Frame] = []

    def record(call: ModuleCall) -> None:
        with torch.no_grad():
            frames.append(build_frame(call, batch_number, starts_batch=not frames))

    tracker = ModuleTracker(model, lambda *_: None, record)
    with tracker.attached():
        yield frames


def gradient_frames(model: nn.Module, batch_number: int | None = None) -> list[Frame]:
    """Measure the gradients that a model's parameters hold now, one frame for each module."""
    frames = []
    for name, module in model.named_modules():
        rows = tuple(
            Row(f"{own}.grad", "gradient", measure(parameter.grad))
            for own, parameter in module.named_parameters(recurse=False)
            if parameter.grad is not None
        )
        if rows:
            frames.append(Frame(name, type(module).__name__, batch_number, rows))
    return frames
