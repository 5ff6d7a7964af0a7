"""The one optimizer step, through the GradScaler where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from .sections import SectionLoop

# A GradScaler halves its scale at each skipped step: from 2**24 it is at 1 after this many.
MAX_SKIPPED = 24


def scaler_of(loop: SectionLoop) -> Any:
    """The user's scaler, else the one that fp16 training would use, else None."""
    if loop.pipeline.scaler is not None:
        return loop.pipeline.scaler
    if loop.precision != "fp16":
        return None
    device = next((p.device.type for p in loop.model.parameters()), "cpu")
    return torch.amp.GradScaler(device)


def take_step(loop: SectionLoop, batch: Any, number: int) -> bool:
    """Step with the gradients that are there; False if a scaler skipped every step.

    With a scaler the batch is run again, scaled, as often as the scaler skips its first steps,
    which is how it finds its scale.
    """
    scaler = scaler_of(loop)
    if scaler is None:
        for optimizer in loop.pipeline.optimizers:
            optimizer.step()
        return True
    for _ in range(MAX_SKIPPED):
        loop.zero_grad()
        before = scaler.get_scale()
        with loop.calls.paused():  # scaled gradients are not looked at
            scaler.scale(loop.loss(batch, number)).backward()
        for optimizer in loop.pipeline.optimizers:
            scaler.step(optimizer)
        scaler.update()
        if scaler.get_scale() >= before:
            return True
    return False
