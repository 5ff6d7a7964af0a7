"""The callback that logs, evaluates and saves at the intervals that were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .interval_strategy import IntervalStrategy
from .trainer_callback import TrainerCallback

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .loop_arguments import LoopArguments
    from .trainer_state import TrainerControl, TrainerState


class DefaultFlowCallback(TrainerCallback):
    """Sets the switches to log, evaluate and save as the `IntervalStrategy` of each says.

    After the last step it also evaluates and saves where the strategy is `steps`.
    """

    def on_step_end(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl:
        """Set the switches of the strategy `steps`."""
        del kwargs
        step, is_last = state.global_step, 0 < state.max_steps <= state.global_step
        if step == 1 and args.logging_first_step:
            control.should_log = True
        if args.logging_strategy == IntervalStrategy.STEPS and step % state.logging_steps == 0:
            control.should_log = True
        if args.eval_strategy == IntervalStrategy.STEPS and step >= args.eval_delay:
            control.should_evaluate |= is_last or step % state.eval_steps == 0
        if args.save_strategy == IntervalStrategy.STEPS:
            control.should_save |= is_last or step % state.save_steps == 0
        if is_last:
            control.should_training_stop = True
        return control

    def on_epoch_end(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl:
        """Set the switches of the strategy `epoch`."""
        del kwargs
        if args.logging_strategy == IntervalStrategy.EPOCH:
            control.should_log = True
        if args.eval_strategy == IntervalStrategy.EPOCH and args.eval_delay <= state.epoch:
            control.should_evaluate = True
        if args.save_strategy == IntervalStrategy.EPOCH:
            control.should_save = True
        return control


def is_default_flow(callback: object) -> bool:
    """Whether a callback decides when to log, evaluate and save: ours, or transformers'."""
    return any(kind.__name__ == DefaultFlowCallback.__name__ for kind in type(callback).__mro__)


def with_default_flow(callbacks: Iterable[Any]) -> list[Any]:
    """The callbacks, classes made into instances, behind a `DefaultFlowCallback`."""
    made = [callback() if isinstance(callback, type) else callback for callback in callbacks]
    has_one = any(is_default_flow(callback) for callback in made)
    return made if has_one else [DefaultFlowCallback(), *made]
