"""The events of a training, to be overridden one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .loop_arguments import LoopArguments
    from .trainer_state import TrainerControl, TrainerState


class TrainerCallback:
    """Looks at the training at each event, and may change what happens next.

    Each method gets the arguments, the state and the control by position, and `model`,
    `processing_class`, `optimizer`, `lr_scheduler`, `train_dataloader` and `eval_dataloader` by
    name. It may set switches of the control in place, or return the control that is to count from
    there. One update fires, in this order: step_begin, substep_end after each batch but the last,
    pre_optimizer_step, optimizer_step, step_end.

    >>> class StopAtTen(TrainerCallback):
    ...     def on_step_end(self, args, state, control, **kwargs):
    ...         control.should_training_stop = state.global_step >= 10
    """

    def on_init_end(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when the loop is made."""

    def on_train_begin(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when training begins."""

    def on_train_end(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when training has ended."""

    def on_epoch_begin(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when an epoch begins."""

    def on_epoch_end(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when an epoch has ended, also when it was stopped."""

    def on_step_begin(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when an update begins, before its first batch."""

    def on_substep_end(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when a batch whose gradients are accumulated is done, and more are to come."""

    def on_pre_optimizer_step(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when gradients are unscaled and clipped, the optimizer has not stepped."""

    def on_optimizer_step(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when the optimizer has stepped, gradients are still there."""

    def on_step_end(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when an update is done and gradients are zeroed."""

    def on_evaluate(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when an evaluation is done; its `metrics` are given by name."""

    def on_predict(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when a prediction is done; its `metrics` are given by name."""

    def on_save(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when a checkpoint was written."""

    def on_log(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when something was logged; the `logs` are given by name."""

    def on_prediction_step(
        self, args: LoopArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl | None:
        """Called when one batch of an evaluation is done."""
