"""How the loss of a batch is computed: the first way that fits, never a guess."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

from .from_lightning import is_lightning_module, lightning_loss
from .from_trainer import trainer_loss

if TYPE_CHECKING:
    from .parts import Pipeline

LABEL_NAMES = ("labels", "label", "label_ids", "target", "targets", "y")
PAIR = 2


class NoLossStyleError(TypeError):
    """There is no known way from this batch to a loss; `compute_loss` is asked for."""


def style_of(pipeline: Pipeline, batch: Any) -> str:
    """The way that fits.

    Returns:
        `train_step`, `compute_loss`, `trainer`, `lightning`, `pair`, `dict_loss`, `model_loss` or
        `model_output`.

    Raises:
        NoLossStyleError: None fits; the text shows the batch's structure.
    """
    if pipeline.train_step is not None:
        return "train_step"
    if pipeline.compute_loss is not None:
        return "compute_loss"
    if pipeline.trainer is not None:
        return "trainer"
    if is_lightning_module(pipeline.model):
        return "lightning"
    if isinstance(batch, Mapping):
        return _style_of_mapping(pipeline, batch)
    if isinstance(batch, (list, tuple)) and len(batch) == PAIR and pipeline.loss is not None:
        return "pair"
    if pipeline.loss is None:
        return "model_output"
    raise NoLossStyleError(
        f"a loss was given, but the batch is {_shown(batch)} and no pair (x, y): write "
        f"compute_loss(model, batch) that returns the loss."
    )


def _style_of_mapping(pipeline: Pipeline, batch: Mapping[str, Any]) -> str:
    if pipeline.loss is None:
        return "model_loss"
    if any(name in batch for name in LABEL_NAMES):
        return "dict_loss"
    raise NoLossStyleError(
        f"a loss was given, but none of the batch's fields {', '.join(map(str, batch))} is named as "
        f"labels are ({', '.join(LABEL_NAMES)}): write compute_loss(model, batch) that returns the loss."
    )


def _shown(batch: Any) -> str:
    if isinstance(batch, (list, tuple)):
        return f"a {type(batch).__name__} of {len(batch)} ({', '.join(type(b).__name__ for b in batch[:6])})"
    return f"a {type(batch).__name__}"


def loss_of(pipeline: Pipeline, style: str, batch: Any, number: int) -> Any:
    """What the user's pipeline gives as the loss of a batch; not for `train_step`."""
    model: Any = pipeline.model
    if style == "compute_loss":
        return pipeline.compute_loss(model, batch)  # type: ignore[misc] # the style says that it is there
    if style == "trainer":
        return trainer_loss(pipeline.trainer, model, batch)
    if style == "lightning":
        return lightning_loss(model, batch, number)
    loss: Any = pipeline.loss
    if style == "pair":
        x, y = batch
        return loss(model(x), y)
    if style == "dict_loss":
        return loss(*_logits_and_labels(model, batch))
    if style == "model_loss":
        return loss_in(model(**batch))
    return loss_in(model(*batch) if isinstance(batch, (list, tuple)) else model(batch))


def _logits_and_labels(model: Any, batch: Mapping[str, Any]) -> tuple[Any, Any]:
    label = next(name for name in LABEL_NAMES if name in batch)
    output = model(**{key: value for key, value in batch.items() if key != label})
    if isinstance(output, torch.Tensor):
        return output, batch[label]
    logits = (
        output.get("logits") if isinstance(output, Mapping) else getattr(output, "logits", None)
    )
    return logits if logits is not None else output[0], batch[label]


def loss_in(output: Any) -> Any:
    """The loss in what a model returned: itself, its `loss`, or None."""
    if isinstance(output, torch.Tensor):
        return output
    if isinstance(output, Mapping):
        return output.get("loss")
    if hasattr(output, "loss"):
        return output.loss
    if isinstance(output, (list, tuple)) and output and _is_scalar(output[0]):
        return output[0]
    return None


def _is_scalar(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dim() == 0
