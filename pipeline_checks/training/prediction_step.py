"""One batch of an evaluation: what the model predicts, and what was to be predicted."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import torch
    from torch import nn


@dataclass(frozen=True)
class Prediction:
    """What one batch gave.

    Attributes:
        loss: A scalar, None without labels.
        predictions: An array of shape `(batch, ...)`, or nested ones, for `compute_metrics`.
        label_ids: The labels, likewise; None without any.
        inputs: What the model was given, for `include_for_metrics=("inputs",)`.
    """

    loss: torch.Tensor | None
    predictions: Any
    label_ids: Any
    inputs: Any = None


def predict_dict(
    model: nn.Module,
    batch: Mapping[str, Any],
    label_names: Sequence[str] | None = None,
    compute_loss: Callable[..., Any] | None = None,
) -> Prediction:
    """Predict a batch of named fields as Trainer does.

    With labels, `predictions` are all outputs but the loss; without, all outputs. What the model's
    `config.keys_to_ignore_at_inference` names is left out, and one output alone comes without its
    tuple. (So a model that also returns hidden states gives `compute_metrics` a tuple.)

    Args:
        model: Called `model(**batch)`; it returns a mapping, or a tuple with the loss first.
        batch: The fields, on the model's device.
        label_names: Which fields are labels; found by the model's signature when None.
        compute_loss: Called `compute_loss(model, batch, return_outputs=True)` instead of the model,
            where there are labels; returns the loss and the outputs.
    """
    names = find_label_names(model) if label_names is None else list(label_names)
    has_labels = bool(names) and all(batch.get(name) is not None for name in names)
    labels = tuple(batch[name] for name in names) if has_labels else None
    if has_labels and compute_loss is not None:
        loss, outputs = compute_loss(model, batch, return_outputs=True)
    else:
        outputs = model(**batch)
        loss = _loss_of(outputs) if has_labels else None
    return Prediction(
        loss=None if loss is None else loss.detach().mean(),
        predictions=_alone(_predictions_of(model, outputs, has_labels=has_labels)),
        label_ids=None if labels is None else _alone(labels),
        inputs=batch.get(getattr(model, "main_input_name", "input_ids")),
    )


def predict_pair(
    model: nn.Module, batch: Sequence[Any], loss: Callable[[Any, Any], torch.Tensor] | None = None
) -> Prediction:
    """Predict a batch `(x, y)`: the predictions are `model(x)`, the labels `y`.

    Args:
        model: Called `model(x)`.
        batch: Inputs and targets, on the model's device.
        loss: Called `loss(model(x), y)`.
    """
    inputs, labels = batch
    output = model(inputs)
    value = None if loss is None else loss(output, labels).detach().mean()
    return Prediction(value, output, labels, inputs)


def find_label_names(model: nn.Module) -> list[str]:
    """The arguments of `forward` that are labels, as Trainer finds them.

    Those with `label` in their name; of a model for question answering (by its class name) the
    start and end positions too.
    """
    names = list(inspect.signature(model.forward).parameters)
    is_label = ["label" in name for name in names]
    if "QuestionAnswering" in type(model).__name__:
        spans = ("start_positions", "end_positions")
        is_label = [found or name in spans for found, name in zip(is_label, names, strict=True)]
    return [name for found, name in zip(is_label, names, strict=True) if found]


def _loss_of(outputs: Any) -> torch.Tensor:
    loss: torch.Tensor = outputs["loss"] if isinstance(outputs, Mapping) else outputs[0]
    return loss


def _predictions_of(model: nn.Module, outputs: Any, *, has_labels: bool) -> Any:
    if not isinstance(outputs, Mapping):
        return outputs[1:] if has_labels else outputs
    ignored = list(getattr(getattr(model, "config", None), "keys_to_ignore_at_inference", []))
    if has_labels:
        ignored.append("loss")
    return tuple(value for name, value in outputs.items() if name not in ignored)


def _alone(values: Any) -> Any:
    return values[0] if isinstance(values, (tuple, list)) and len(values) == 1 else values
