"""What a training loop is made of."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..listed import listed
from .precision import make_scaler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import torch
    from torch import nn

    from .evaluation import Evaluation


@dataclass
class TrainingParts:
    """The user's own parts, which the loop runs as training would.

    Attributes:
        model: On the device of the loop's arguments.
        batches: Gives the batches of one epoch, anew each time it is called.
        optimizer: One, or a list of them, all stepped at each update.
        forward_loss: Called with a batch on the device, under autocast; returns a scalar. The loop
            accumulates, scales, clips and steps.
        train_step: Instead of `forward_loss` the user's own loop body, called
            `train_step(model, batch, optimizer, state)` with a dict that lives as long as the loop.
            It does all of that itself, also autocast and schedulers; each call is one update.
        scheduler: One, or a list; stepped after each update that was not skipped, or after each
            evaluation where it watches a metric (`ReduceLROnPlateau`).
        scaler: A GradScaler; made where the precision is fp16 and there is none.
        evaluation: What `eval_strategy` runs.

    Raises:
        ValueError: There is not exactly one of `forward_loss` and `train_step`.
    """

    model: nn.Module
    batches: Callable[[], Iterable[Any]]
    optimizer: torch.optim.Optimizer | Sequence[torch.optim.Optimizer]
    forward_loss: Callable[[Any], torch.Tensor] | None = None
    train_step: Callable[..., Any] | None = None
    scheduler: Any = None
    scaler: torch.amp.GradScaler | None = None
    evaluation: Evaluation | None = None

    def __post_init__(self) -> None:
        if (self.forward_loss is None) == (self.train_step is None):
            raise ValueError("either forward_loss or train_step is needed, and not both")

    @property
    def optimizers(self) -> list[torch.optim.Optimizer]:
        """The optimizers as a list."""
        return listed(self.optimizer)

    @property
    def schedulers(self) -> list[Any]:
        """The schedulers as a list."""
        return listed(self.scheduler)

    def with_scaler(self, precision: str, device: str) -> TrainingParts:
        """These parts, with a scaler where `forward_loss` needs one and there is none."""
        if self.train_step or self.scaler:
            return self
        return dataclasses.replace(self, scaler=make_scaler(precision, device))
