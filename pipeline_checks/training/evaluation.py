"""Runs a model over batches and gives `compute_metrics` what Trainer would."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from ...gather import EvalPrediction, find_batch_size, nested_concat, nested_detach, nested_numpify
from .device_transfer import to_device
from .model_mode import evaluation_mode
from .precision import autocast_to

if TYPE_CHECKING:
    from torch import nn

    from .prediction_step import Prediction


@dataclass(frozen=True)
class Evaluation:
    """What is evaluated, and how.

    Attributes:
        batches: Gives the batches, anew each time it is called.
        predict: Called `predict(model, batch)`; see `predict_dict` and `predict_pair`.
        compute_metrics: Called with an `EvalPrediction` of numpy arrays; returns a dict of numbers.
        include_for_metrics: `"inputs"` and `"loss"`, where `compute_metrics` wants them.
        metric_key_prefix: Put before the name of each metric.
        max_batches: How many batches are run at most; all when None.
        padding_index: What the shorter of uneven sequences are filled with.
    """

    batches: Callable[[], Iterable[Any]]
    predict: Callable[[nn.Module, Any], Prediction]
    compute_metrics: Callable[[EvalPrediction], Mapping[str, Any]] | None = None
    include_for_metrics: tuple[str, ...] = ()
    metric_key_prefix: str = "eval"
    max_batches: int | None = None
    padding_index: int = -100


@dataclass(frozen=True)
class EvaluationOutput:
    """What an evaluation gave.

    Attributes:
        predictions: Numpy arrays of shape `(samples, ...)`, nested as the model gave them.
        label_ids: Likewise; None without labels.
        metrics: Python numbers, each name with its prefix; `eval_loss` is the mean over samples.
        num_samples: How many samples were run.
        inputs: The model's main input, where it was asked for.
        losses: The loss of each batch, once for each of its samples: shape `(samples,)`.
    """

    predictions: Any
    label_ids: Any
    metrics: dict[str, Any]
    num_samples: int
    inputs: Any = None
    losses: Any = None


@dataclass
class _Collected:
    """What the batches gave so far, on the CPU."""

    predictions: list[Any] = field(default_factory=list)
    label_ids: list[Any] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)
    losses: list[Any] = field(default_factory=list)
    num_samples: int = 0

    def add(self, prediction: Prediction, size: int, *, with_inputs: bool) -> None:
        self.num_samples += size
        self._keep(self.predictions, prediction.predictions)
        self._keep(self.label_ids, prediction.label_ids)
        self._keep(self.inputs, prediction.inputs if with_inputs else None)
        loss = prediction.loss
        self._keep(self.losses, None if loss is None else loss.float().repeat(size))

    @staticmethod
    def _keep(chunks: list[Any], chunk: Any) -> None:
        if chunk is not None:
            chunks.append(nested_numpify(nested_detach(chunk)))


def evaluation_loop(
    model: nn.Module,
    evaluation: Evaluation,
    *,
    precision: str = "fp32",
    device: str = "cpu",
    on_prediction_step: Callable[[], object] | None = None,
) -> EvaluationOutput:
    """Run the model over the batches in evaluation mode, without gradients, and compute metrics.

    Every module is put back into the mode in which it was.

    Args:
        model: Must be on the device.
        evaluation: The batches, and what is done with them.
        precision: `fp32`, or autocast to `bf16` or `fp16`.
        device: Where the batches are moved to.
        on_prediction_step: Called after each batch.

    Raises:
        TypeError: `compute_metrics` does not return a dict, or an output is no array.
    """
    collected = _Collected()
    with evaluation_mode(model), torch.no_grad(), autocast_to(precision, device):
        for number, batch in enumerate(evaluation.batches()):
            if number == evaluation.max_batches:
                break
            moved = to_device(batch, device)
            prediction = evaluation.predict(model, moved)
            size = find_batch_size(moved) or find_batch_size(prediction.predictions) or 1
            collected.add(prediction, size, with_inputs="inputs" in evaluation.include_for_metrics)
            if on_prediction_step is not None:
                on_prediction_step()
    return _conclude(evaluation, collected)


def _conclude(evaluation: Evaluation, collected: _Collected) -> EvaluationOutput:
    parts = [
        _concat(chunks, evaluation.padding_index)
        for chunks in (
            collected.predictions,
            collected.label_ids,
            collected.inputs,
            collected.losses,
        )
    ]
    predictions, label_ids, inputs, losses = parts
    metrics: dict[str, Any] = {}
    if evaluation.compute_metrics and predictions is not None and label_ids is not None:
        asked = losses if "loss" in evaluation.include_for_metrics else None
        prediction = EvalPrediction(predictions, label_ids, inputs=inputs, losses=asked)
        metrics = _as_plain(_require_dict(evaluation.compute_metrics(prediction)))
    if losses is not None:
        metrics["loss"] = float(losses.mean())
    prefix = f"{evaluation.metric_key_prefix}_"
    named = {
        name if name.startswith(prefix) else prefix + name: value for name, value in metrics.items()
    }
    return EvaluationOutput(predictions, label_ids, named, collected.num_samples, inputs, losses)


def _concat(chunks: list[Any], padding_index: int) -> Any:
    """Put the chunks behind each other, two and two: no row is copied more than log2 times."""
    while len(chunks) > 1:
        pairs = zip(chunks[::2], chunks[1::2], strict=False)
        odd = chunks[len(chunks) - len(chunks) % 2 :]
        chunks = [nested_concat(first, second, padding_index) for first, second in pairs] + odd
    return chunks[0] if chunks else None


def _require_dict(metrics: Any) -> dict[str, Any]:
    if not isinstance(metrics, Mapping):
        raise TypeError(
            f"compute_metrics must return a dict of metrics, it returned a {type(metrics).__name__}"
        )
    return dict(metrics)


def _as_plain(value: Any) -> Any:
    """Numpy and torch scalars as python numbers, so that metrics can be written as JSON."""
    if isinstance(value, Mapping):
        return {name: _as_plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_as_plain(inner) for inner in value)
    numpy = sys.modules.get("numpy")
    is_scalar = numpy is not None and isinstance(value, numpy.generic)
    if is_scalar or (isinstance(value, torch.Tensor) and value.numel() == 1):
        return value.item()
    return value
