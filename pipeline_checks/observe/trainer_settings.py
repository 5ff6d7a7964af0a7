"""Look at what a Hugging Face Trainer is set to do, without training."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from torch.optim.lr_scheduler import ReduceLROnPlateau

from ..facts.trainer import TrainerFacts
from .checkpointing import checkpointing_problem
from .model import definition_of
from .trainer_loss_call import find_loss_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .user_code import UserCode

# The methods between an evaluation and the metric that is picked from it.
PICKING = (
    "evaluate",
    "evaluation_loop",
    "log",
    "_evaluate",
    "_determine_best_metric",
    "_maybe_log_save_evaluate",
)


def look_at_trainer(trainer: Any, code: UserCode) -> TrainerFacts:
    """What its settings ask for; nothing of it is called."""
    args = trainer.args
    call = find_loss_call(trainer)
    sets = trainer.eval_dataset if isinstance(trainer.eval_dataset, Mapping) else {}
    return TrainerFacts(
        type=type(trainer).__name__,
        loss_call=call.call,
        loss_signature=call.signature,
        loss_problem=call.problem,
        loss_at=definition_of(trainer.compute_loss, code),
        is_evaluating=_is_evaluating(args),
        best_metric=str(args.metric_for_best_model or ""),
        best_asked_by=tuple(_askers(trainer)),
        is_best_loaded=bool(args.load_best_model_at_end),
        is_best_its_own=_is_picking_its_own(trainer),
        has_metrics=trainer.compute_metrics is not None,
        label_names=tuple(trainer.label_names or ()),
        sets=tuple(str(name) for name in sets),
        checkpointing_problem=checkpointing_problem(trainer),
        has_own_step=definition_of(trainer.training_step, code) is not None,
    )


def _is_evaluating(args: Any) -> bool:
    strategy = getattr(args, "eval_strategy", None) or getattr(args, "evaluation_strategy", "no")
    return str(getattr(strategy, "value", strategy)) != "no"


def _askers(trainer: Any) -> Iterator[str]:
    kind = sys.modules["transformers"].EarlyStoppingCallback
    for callback in trainer.callback_handler.callbacks:
        if isinstance(callback, kind) and type(callback).on_train_begin is kind.on_train_begin:
            yield type(callback).__name__
    if isinstance(trainer.lr_scheduler, ReduceLROnPlateau):
        yield type(trainer.lr_scheduler).__name__


def _is_picking_its_own(trainer: Any) -> bool:
    """Whether no code of the user's can add a metric, or pick another one."""
    if any(name in vars(trainer) for name in PICKING):
        return False
    methods = [getattr(type(trainer), name, None) for name in PICKING]
    methods += [type(callback).on_evaluate for callback in trainer.callback_handler.callbacks]
    return all(m is None or m.__module__.startswith("transformers.") for m in methods)
