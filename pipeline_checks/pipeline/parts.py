"""The pipeline: the user's own parts, put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..listed import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import torch
    from torch import nn


@dataclass
class Pipeline:
    """A training pipeline; every part is the user's own live object.

    Either `dataset` (with `collate_fn`, or none for torch's default) or `dataloader` is needed, and
    a way to a loss: `train_step`, `compute_loss`, `loss`, or a model that returns one.

    Attributes:
        model: The module that is trained.
        dataset: Map-style or iterable.
        eval_dataset: For the evaluate stage.
        collate_fn: Puts samples together; torch's default where None.
        dataloader: Instead of `dataset` and `collate_fn`.
        loss: Called `loss(output, target)`.
        compute_loss: Called `compute_loss(model, batch)`.
        train_step: The user's own loop body, `train_step(model, batch, optimizer, state)`.
        optimizer: One optimizer, a list of them or a dict; AdamW at 1e-3 is made where None.
        scheduler: Learning-rate scheduler, one or a list.
        scaler: A `torch.amp.GradScaler`.
        tokenizer: Lets tdebug name collators and show decoded samples.
        metrics: `compute_metrics(EvalPrediction) -> dict`.
        evaluate: The user's own evaluation, `evaluate(model, dataset)`.
        trainer: A Hugging Face Trainer that the parts come from.
        lightning: A Lightning Trainer, beside a LightningModule as `model`.
        intervals: For the schedulers of a LightningModule: `epoch` or `step`, and after how many of
            them each is stepped.
        configured: What `configure_optimizers` of a LightningModule returned.
        settings: Scalar keys of the spec (`batch_size`, `precision`, `seed`, ...).
        made_up: Names of parts that tdebug made.
    """

    model: nn.Module | None = None
    dataset: Any = None
    eval_dataset: Any = None
    collate_fn: Callable[[list[Any]], Any] | None = None
    dataloader: Iterable[Any] | None = None
    loss: Callable[..., torch.Tensor] | None = None
    compute_loss: Callable[..., torch.Tensor] | None = None
    train_step: Callable[..., Any] | None = None
    optimizer: Any = None
    scheduler: Any = None
    scaler: Any = None
    tokenizer: Any = None
    metrics: Callable[..., Mapping[str, float]] | None = None
    evaluate: Callable[..., Any] | None = None
    trainer: Any = None
    lightning: Any = None
    intervals: tuple[tuple[str, int], ...] = ()
    configured: Any = None
    settings: dict[str, Any] = field(default_factory=dict)
    made_up: set[str] = field(default_factory=set)

    @property
    def optimizers(self) -> list[torch.optim.Optimizer]:
        """The optimizers as a list, whatever form they were given in."""
        return listed(self.optimizer)

    @property
    def schedulers(self) -> list[Any]:
        """The schedulers as a list."""
        return listed(self.scheduler)
