"""The losses of a training, kept where they were computed until somebody asks."""

from __future__ import annotations

from typing import Any

import torch


class LossRecord:
    """Keeps one loss for each update, without waiting for the device.

    What is no tensor or number (a `train_step` may return anything) is kept as nan.
    """

    def __init__(self) -> None:
        self._losses: list[torch.Tensor] = []
        self._num_logged = 0

    def add(self, loss: Any) -> None:
        """Keep the loss of one update; the mean of a tensor of several."""
        if isinstance(loss, torch.Tensor):
            detached = loss.detach()
            kept = detached.mean() if detached.is_floating_point() else detached.float().mean()
        else:
            kept = torch.tensor(loss if isinstance(loss, (int, float)) else torch.nan)
        self._losses.append(kept)

    def take_mean(self) -> float:
        """The mean loss of the updates since it was last asked for; this waits for the device."""
        values = self._read(self._num_logged)
        self._num_logged = len(self._losses)
        return sum(values) / len(values) if values else torch.nan

    @property
    def has_news(self) -> bool:
        """Whether there were updates since `take_mean` was last called."""
        return len(self._losses) > self._num_logged

    def to_list(self) -> list[float]:
        """All losses, one for each update; this waits for the device."""
        return self._read(0)

    def _read(self, first: int) -> list[float]:
        losses = self._losses[first:]
        devices = {loss.device for loss in losses}
        if len(devices) == 1:
            values: list[float] = torch.stack(losses).tolist()
            return values
        return [float(loss) for loss in losses]
