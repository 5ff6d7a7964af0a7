"""Whether this rank's own gradients were finite, before they are shared with other ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor, nn


class OwnGradients:
    """Looks at each gradient when it comes to its parameter.

    DistributedDataParallel averages gradients after these hooks, and then a nan of one rank is on
    all of them.

    Args:
        model: The model with the parameters.
    """

    def __init__(self, model: nn.Module) -> None:
        self._is_bad = False
        self._waiting: list[Tensor] = []  # answers that are still on a device
        trained = (p for p in model.parameters() if p.requires_grad and p.is_leaf)
        self._handles = [p.register_hook(self._look) for p in trained]  # type: ignore[no-untyped-call] # torch leaves it untyped

    @property
    def are_bad(self) -> bool:
        """Whether one was not finite since they were last forgotten."""
        if self._waiting:
            self._is_bad |= bool(torch.stack(self._waiting).any())
            self._waiting = []
        return self._is_bad

    def forget(self) -> None:
        """Begin anew."""
        self._is_bad, self._waiting = False, []

    def detach(self) -> None:
        """Take the hooks off the parameters."""
        for handle in self._handles:
            handle.remove()

    def _look(self, gradient: Tensor) -> None:
        values = gradient.coalesce().values() if gradient.is_sparse else gradient
        if not values.numel():
            return
        with torch.no_grad():
            is_bad = ~torch.stack(values.aminmax()).isfinite().all()
        if is_bad.is_cpu:
            self._is_bad |= bool(is_bad)
        else:
            self._waiting.append(is_bad)
