"""The training loop, its callbacks, and seeding; what needs no torch is had without it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .callback_handler import CallbackHandler
    from .checkpoint import load_checkpoint, save_checkpoint
    from .default_flow import DefaultFlowCallback
    from .device_transfer import to_device
    from .evaluation import Evaluation, EvaluationOutput, evaluation_loop
    from .interval_strategy import IntervalStrategy
    from .loop import TrainingLoop
    from .loop_arguments import LoopArguments
    from .model_mode import evaluation_mode
    from .precision import autocast_to, make_scaler
    from .prediction_step import Prediction, find_label_names, predict_dict, predict_pair
    from .rng_state import RngState, capture_rng_state, preserved_rng_state, restore_rng_state
    from .seeding import enable_full_determinism, set_seed
    from .trainer_callback import TrainerCallback
    from .trainer_state import TrainerControl, TrainerState
    from .training_outcome import TrainingOutcome
    from .training_parts import TrainingParts

_HOMES = {
    "CallbackHandler": "callback_handler",
    "DefaultFlowCallback": "default_flow",
    "Evaluation": "evaluation",
    "EvaluationOutput": "evaluation",
    "IntervalStrategy": "interval_strategy",
    "LoopArguments": "loop_arguments",
    "Prediction": "prediction_step",
    "RngState": "rng_state",
    "TrainerCallback": "trainer_callback",
    "TrainerControl": "trainer_state",
    "TrainerState": "trainer_state",
    "TrainingLoop": "loop",
    "TrainingOutcome": "training_outcome",
    "TrainingParts": "training_parts",
    "autocast_to": "precision",
    "capture_rng_state": "rng_state",
    "enable_full_determinism": "seeding",
    "evaluation_loop": "evaluation",
    "evaluation_mode": "model_mode",
    "find_label_names": "prediction_step",
    "load_checkpoint": "checkpoint",
    "make_scaler": "precision",
    "predict_dict": "prediction_step",
    "predict_pair": "prediction_step",
    "preserved_rng_state": "rng_state",
    "restore_rng_state": "rng_state",
    "save_checkpoint": "checkpoint",
    "set_seed": "seeding",
    "to_device": "device_transfer",
}

__all__ = [
    "CallbackHandler",
    "DefaultFlowCallback",
    "Evaluation",
    "EvaluationOutput",
    "IntervalStrategy",
    "LoopArguments",
    "Prediction",
    "RngState",
    "TrainerCallback",
    "TrainerControl",
    "TrainerState",
    "TrainingLoop",
    "TrainingOutcome",
    "TrainingParts",
    "autocast_to",
    "capture_rng_state",
    "enable_full_determinism",
    "evaluation_loop",
    "evaluation_mode",
    "find_label_names",
    "load_checkpoint",
    "make_scaler",
    "predict_dict",
    "predict_pair",
    "preserved_rng_state",
    "restore_rng_state",
    "save_checkpoint",
    "set_seed",
    "to_device",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
