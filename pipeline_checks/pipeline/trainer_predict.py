"""Predictions of one batch as a Hugging Face Trainer makes them for `compute_metrics`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..training import Prediction

if TYPE_CHECKING:
    from torch import nn


def predict_as_trainer(
    trainer: Any, model: nn.Module, batch: Any, *, is_loss_only: bool
) -> Prediction:
    """What the Trainer's own `prediction_step` and `preprocess_logits_for_metrics` give."""
    is_loss_only = is_loss_only or bool(trainer.args.prediction_loss_only)
    inputs = batch.copy() if hasattr(batch, "copy") else batch
    loss, logits, labels = trainer.prediction_step(
        model, inputs, is_loss_only, ignore_keys=None, **_generation_arguments(trainer)
    )
    preprocess = getattr(trainer, "preprocess_logits_for_metrics", None)
    if preprocess is not None and logits is not None:
        logits = preprocess(logits, labels)
    main = getattr(model, "main_input_name", "input_ids")
    return Prediction(
        None if loss is None else loss.detach().mean(), logits, labels, batch.get(main)
    )


def asks_of(trainer: Any) -> tuple[str, ...]:
    """What `compute_metrics` of this Trainer wants beside predictions and labels."""
    asked: set[str] = set(getattr(trainer.args, "include_for_metrics", None) or ())
    if getattr(trainer.args, "include_inputs_for_metrics", False):
        asked.add("inputs")
    return tuple(sorted(asked & {"inputs", "loss"}))


def _generation_arguments(trainer: Any) -> dict[str, Any]:
    """What `Seq2SeqTrainer.evaluate` hands to `generate`; nothing for other Trainers."""
    args = trainer.args
    if not getattr(args, "predict_with_generate", False):
        return {}
    wanted = {"max_length": args.generation_max_length, "num_beams": args.generation_num_beams}
    return {name: value for name, value in wanted.items() if value is not None}
