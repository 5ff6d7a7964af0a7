"""Look at the gradients after each backward: one pass, one transfer a batch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from ..facts.training import BadGradient, GradientFacts
from .norms import norm_of

if TYPE_CHECKING:
    from torch import nn

    from .modules import ModuleWatch


class GradientObserver:
    """Takes the gradients of one backward after the other."""

    def __init__(self, model: nn.Module) -> None:
        self._parameters = list(model.named_parameters())
        self._reached: dict[str, None] = {}
        self._nonzero: set[str] = set()
        self._norms: dict[str, float] = {}
        self._bad: dict[str, BadGradient] = {}
        self._totals: dict[int, float] = {}
        self.num_batches = 0
        self.is_scaled = False

    def look(self, batch: int) -> None:
        """Look at the gradients that are there now."""
        self.num_batches += 1
        there = [(name, p.grad) for name, p in self._parameters if p.grad is not None]
        if not there:
            return
        found = [norm_of(_values(grad)).to("cpu", torch.float64) for _, grad in there]
        norms = torch.stack(found).tolist()
        self._totals[batch] = max(self._totals.get(batch, 0.0), math.hypot(*norms))
        for (name, grad), norm in zip(there, norms, strict=True):
            self._reached[name] = None
            self._note_norm(name, grad, norm or _largest(grad), batch)

    def _note_norm(self, name: str, grad: torch.Tensor, norm: float, batch: int) -> None:
        if norm != 0:
            self._nonzero.add(name)
        if math.isfinite(norm):
            self._norms[name] = max(self._norms.get(name, 0.0), norm)
        else:  # or the norm has overflowed over finite values
            self._note_bad(name, grad, batch)

    def _note_bad(self, name: str, grad: torch.Tensor, batch: int) -> None:
        values = _values(grad)
        num_nan = int(values.isnan().sum())
        num_bad = int((~values.isfinite()).sum())
        if num_bad and name not in self._bad:
            kind = "nan" if num_nan else "inf"
            self._bad[name] = BadGradient(name, batch, kind, num_bad, values.numel())

    @property
    def first_bad_batch(self) -> int | None:
        """The first batch with a gradient that was not finite."""
        return min((bad.batch for bad in self._bad.values()), default=None)

    def is_nonzero(self, name: str) -> bool:
        """Whether the parameter had a gradient other than 0 in some batch."""
        return name in self._nonzero

    def facts(self, modules: ModuleWatch) -> GradientFacts:
        """What all backwards until now showed."""
        trainable = [n for n, p in self._parameters if p.requires_grad and not _is_consumed(p)]
        never = tuple(name for name in trainable if name not in self._reached)
        return GradientFacts(
            num_batches=self.num_batches,
            reached=tuple(self._reached),
            never=never,
            never_called=_never_called(never, modules),
            bad=tuple(sorted(self._bad.values(), key=lambda bad: bad.batch)),
            zero=tuple(name for name in self._reached if name not in self._nonzero),
            norms=self._norms,
            totals=tuple(self._totals.items()),
            is_scaled=self.is_scaled,
        )


def _is_consumed(parameter: torch.Tensor) -> bool:
    """Whether a hook of the user's may step and drop the gradient while backward still runs."""
    # https://docs.pytorch.org/tutorials/intermediate/optimizer_step_in_backward_tutorial.html
    return parameter.grad is None and bool(parameter._post_accumulate_grad_hooks)  # noqa: SLF001


def _values(grad: torch.Tensor) -> torch.Tensor:
    grad = grad.detach()
    return grad.coalesce().values() if grad.is_sparse else grad


def _largest(grad: torch.Tensor) -> float:
    """The largest absolute value: a norm of 0 may be an underflow of the squares."""
    values = _values(grad)
    return float(values.abs().max()) if values.numel() else 0.0


def _never_called(never: tuple[str, ...], modules: ModuleWatch) -> tuple[str, ...]:
    """The modules that own such parameters and did not run at all."""
    owners = dict.fromkeys(name.rpartition(".")[0] for name in never)
    by_name = {name: number for number, name in modules.names.items()}
    return tuple(
        o for o in owners if by_name.get(o) is not None and by_name[o] not in modules.called
    )
