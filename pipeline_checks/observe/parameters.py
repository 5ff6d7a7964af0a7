"""What an optimizer step did to the parameters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch.nn.parameter import is_lazy

from .norms import norm_of

if TYPE_CHECKING:
    from torch import nn

    from .gradients import GradientObserver


class ParameterWatch:
    """Keeps a copy of the trainable parameters and compares after the step.

    Attributes:
        sizes: Root mean square of the change of each parameter that changed, after `compare`.
    """

    def __init__(self, model: nn.Module) -> None:
        self.sizes: dict[str, float] = {}
        self._before = [
            (name, parameter, parameter.detach().clone())
            for name, parameter in model.named_parameters()
            if parameter.requires_grad and not is_lazy(parameter)
        ]

    def compare(self) -> tuple[dict[str, float], list[str], list[str]]:
        """Ratios of the parameters that changed, names of those that did not, of those now bad.

        The ratio is the norm of the change over the norm of the parameter before it.
        """
        ratios: dict[str, float] = {}
        same: list[str] = []
        bad: list[str] = []
        for name, parameter, before in self._before:
            now = parameter.detach()
            if torch.equal(now, before):
                same.append(name)
                continue
            change, norm = norm_of(now - before), norm_of(before)
            ratios[name] = float(change / norm.clamp(min=1e-12))
            self.sizes[name] = float(change) / math.sqrt(before.numel())
            if not bool(now.isfinite().all()) and bool(before.isfinite().all()):
                bad.append(name)
        return ratios, same, bad

    def put_back(self) -> None:
        """Give every parameter its value from before."""
        with torch.no_grad():
            for _, parameter, before in self._before:
                parameter.copy_(before)


def unchanged_despite_gradient(
    same: list[str], gradients: GradientObserver, held: set[str]
) -> tuple[str, ...]:
    """Parameters in an optimizer that did not change though their gradient was not 0."""
    return tuple(name for name in same if name in held and gradients.is_nonzero(name))
