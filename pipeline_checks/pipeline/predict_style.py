"""How predictions of a batch are had, for each way to a loss; never a guess."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.modules.module import register_module_forward_hook

from ..training import Prediction, find_label_names, predict_dict, predict_pair
from .lightning_validation import ValidationSteps
from .loss_style import LABEL_NAMES, PAIR, loss_in, loss_of
from .trainer_predict import predict_as_trainer

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import nn

    from .parts import Pipeline

    Predict = Callable[[nn.Module, Any], Prediction]


def predictor_of(pipeline: Pipeline, style: str) -> Predict:
    """The function that predicts one batch in this style, as `evaluation_loop` calls it."""
    if style == "trainer":
        return lambda model, batch: predict_as_trainer(
            pipeline.trainer, model, batch, is_loss_only=pipeline.metrics is None
        )
    if style == "pair":
        return lambda model, batch: predict_pair(model, batch, pipeline.loss)
    if style == "model_loss":
        return predict_dict
    if style == "lightning":
        return ValidationSteps(pipeline.model)
    return lambda model, batch: _predict_by_watching(pipeline, style, model, batch)


def _predict_by_watching(
    pipeline: Pipeline, style: str, model: nn.Module, batch: Any
) -> Prediction:
    """The loss as the user's pipeline computes it; the predictions are what the model gave then.

    A model that is called several times for one loss (pairs, a discriminator) tells no predictions.
    """
    outputs: list[Any] = []

    def note(module: nn.Module, _inputs: Any, output: Any) -> None:
        if module is model:
            outputs.append(output)

    # A hook for all modules: what torch.jit.script made takes none of its own.
    handle = register_module_forward_hook(note)
    try:
        loss = loss_of(pipeline, style, batch, 0)
    finally:
        handle.remove()
    labels = _labels_in(model, batch)
    predictions = _predictions_in(outputs[0]) if len(outputs) == 1 and labels is not None else None
    return Prediction(loss.detach() if _is_scalar(loss) else None, predictions, labels)


def _labels_in(model: nn.Module, batch: Any) -> Any:
    if isinstance(batch, Mapping):
        names = [*LABEL_NAMES, *find_label_names(model)]
        return next((batch[name] for name in names if name in batch), None)
    is_pair = isinstance(batch, (list, tuple)) and len(batch) == PAIR
    return batch[1] if is_pair and isinstance(batch[1], torch.Tensor) else None


def _predictions_in(output: Any) -> Any:
    """The tensor that is surely the prediction: the output itself, its logits; else None."""
    if isinstance(output, torch.Tensor):
        return output if output.dim() else None
    is_mapping = isinstance(output, Mapping)
    logits = output.get("logits") if is_mapping else getattr(output, "logits", None)
    if isinstance(logits, torch.Tensor):
        return logits
    if isinstance(output, (tuple, list)):
        rest = [value for value in output if isinstance(value, torch.Tensor) and value.dim()]
        return rest[0] if len(rest) == 1 and loss_in(output) is not rest[0] else None
    return None


def _is_scalar(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.numel() == 1
