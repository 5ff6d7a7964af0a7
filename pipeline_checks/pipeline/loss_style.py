"""How the loss of a batch is computed: the first way that fits, never a guess."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

from .from_lightning import is_lightning_module, lightning_loss
from .from_trainer import trainer_loss

if TYPE_CHECKING:
    from collections.abc import Callable

    from .parts import Pipeline

LABEL_NAMES = ("labels", "label", "label_ids", "target", "targets", "y")
PAIR = 2
# Methods of a Trainer that may change a batch on its way to the loss.
BEFORE_THE_LOSS = ("training_step", "_prepare_inputs")
MAX_SHOWN = 6


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
    for part in ("train_step", "compute_loss", "trainer"):
        if getattr(pipeline, part) is not None:
            return part
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
        f"a loss was given, but none of the batch's fields {', '.join(map(str, batch))} is named "
        f"as labels are ({', '.join(LABEL_NAMES)}): write compute_loss(model, batch) that returns "
        "the loss."
    )


def _shown(batch: Any) -> str:
    if isinstance(batch, (list, tuple)):
        kinds = ", ".join(type(entry).__name__ for entry in batch[:MAX_SHOWN])
        return f"a {type(batch).__name__} of {len(batch)} ({kinds})"
    return f"a {type(batch).__name__}"


def has_own_loss(pipeline: Pipeline) -> bool:
    """Whether code of the user's computes the loss, so that the model's own says nothing of it."""
    own = (pipeline.loss, pipeline.compute_loss, pipeline.train_step)
    if any(part is not None for part in own):
        return True
    trainer = pipeline.trainer
    if trainer is None:
        return is_lightning_module(pipeline.model)
    methods = (getattr(type(trainer), name, None) for name in ("compute_loss", *BEFORE_THE_LOSS))
    modules = (getattr(method, "__module__", "") for method in methods)
    is_overridden = not all(module.startswith("transformers.") for module in modules)
    return is_overridden or getattr(trainer, "compute_loss_func", None) is not None


def loss_of(pipeline: Pipeline, style: str, batch: Any, number: int) -> Any:
    """What the user's pipeline gives as the loss of a batch; not for `train_step`."""
    if style == "lightning":
        return lightning_loss(pipeline.model, batch, number)
    return WAYS[style](pipeline, batch)


def _of_compute_loss(pipeline: Pipeline, batch: Any) -> Any:
    compute_loss: Any = pipeline.compute_loss
    return compute_loss(pipeline.model, batch)


def _of_trainer(pipeline: Pipeline, batch: Any) -> Any:
    return trainer_loss(pipeline.trainer, pipeline.model, batch)


def _of_pair(pipeline: Pipeline, batch: Any) -> Any:
    model, loss = _model_and_loss(pipeline)
    x, y = batch
    return loss(model(x), y)


def _of_dict(pipeline: Pipeline, batch: Any) -> Any:
    model, loss = _model_and_loss(pipeline)
    return loss(*_logits_and_labels(model, batch))


def _of_model(pipeline: Pipeline, batch: Any) -> Any:
    model, _ = _model_and_loss(pipeline)
    if isinstance(batch, Mapping):
        return loss_in(model(**batch))
    return loss_in(model(*batch) if isinstance(batch, (list, tuple)) else model(batch))


WAYS: dict[str, Callable[[Pipeline, Any], Any]] = {
    "compute_loss": _of_compute_loss,
    "trainer": _of_trainer,
    "pair": _of_pair,
    "dict_loss": _of_dict,
    "model_loss": _of_model,
    "model_output": _of_model,
}


def _model_and_loss(pipeline: Pipeline) -> tuple[Any, Any]:
    """The two parts, which the style says are there."""
    return pipeline.model, pipeline.loss


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
