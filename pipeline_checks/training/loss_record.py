"""The losses of a training, kept where they were computed until somebody asks."""

from __future__ import annotations

import math
from typing import Any

import torch


class LossRecord:
    """Keeps one loss for each update, without waiting for the device.

    They lie in one tensor on the device of the losses, which doubles when it is full: 8 bytes for
    each update, 4 on MPS, which has no float64.
    """

    def __init__(self) -> None:
        self._losses = torch.empty(64, dtype=torch.float64)
        self._num = 0
        self._num_taken = 0

    def add(self, loss: Any) -> None:
        """Keep the loss of one update: a tensor (the mean of it), a number, or nan for all else."""
        value: Any = loss if isinstance(loss, (int, float)) else math.nan
        if isinstance(loss, torch.Tensor):
            value = loss.detach().double() if loss.device.type != "mps" else loss.detach().float()
            value = value.mean()
            self._move_to(value.device)
        if self._num == len(self._losses):
            self._losses = torch.cat([self._losses, torch.empty_like(self._losses)])
        self._losses[self._num] = value
        self._num += 1

    @property
    def has_news(self) -> bool:
        """Whether there were updates since `take_mean` was last called."""
        return self._num > self._num_taken

    def take_mean(self) -> float:
        """The mean loss of the updates since it was last asked for; this waits for the device."""
        values: list[float] = self._losses[self._num_taken : self._num].tolist()
        self._num_taken = self._num
        return sum(values) / len(values) if values else math.nan

    def to_list(self) -> list[float]:
        """All losses, one for each update; this waits for the device."""
        values: list[float] = self._losses[: self._num].tolist()
        return values

    def _move_to(self, device: torch.device) -> None:
        """Move the losses once, from the CPU to the device: the other way would wait for it."""
        if self._losses.device.type == "cpu" and device.type != "cpu":
            dtype = torch.float32 if device.type == "mps" else torch.float64
            self._losses = self._losses.to(device, dtype)
