"""The training loop that trace, overflow and the overfit check share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .callback_handler import CallbackHandler
from .checkpoint import save_checkpoint
from .default_flow import with_default_flow
from .device_transfer import to_device
from .epoch_batches import count_batches, group_batches
from .evaluation import EvaluationOutput, evaluation_loop
from .interval_strategy import IntervalStrategy
from .loop_arguments import LoopArguments
from .loss_record import LossRecord
from .trainer_state import TrainerControl, TrainerState
from .training_outcome import TrainingOutcome
from .update import Update, watches_metric

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .training_parts import TrainingParts


class TrainingLoop:
    """Trains as a plain loop would: backward, unscale, clip, step, scheduler, zero_grad.

    Events are fired under the names, and in the order, of Trainer. Nothing waits for the device but
    a GradScaler and what is logged. Exceptions of the user's code pass through.

    Args:
        parts: Model, batches, optimizers and the rest.
        args: How long, with what precision, and when to log, evaluate and save.
        callbacks: Called after a `DefaultFlowCallback`, which is added where there is none.
        state: Where to go on counting, as `load_checkpoint` gives it; a new state when None.

    Example:
        >>> import torch
        >>> from tdebug.pipeline_checks.training import LoopArguments, TrainingLoop, TrainingParts
        >>> model = torch.nn.Linear(1, 1)
        >>> data = [(torch.ones(4, 1), torch.zeros(4, 1))]
        >>> parts = TrainingParts(
        ...     model,
        ...     batches=lambda: data,
        ...     optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        ...     forward_loss=lambda batch: (model(batch[0]) - batch[1]).square().mean(),
        ... )
        >>> outcome = TrainingLoop(parts, LoopArguments(max_steps=3)).run()
        >>> outcome.global_step, outcome.losses[2] < outcome.losses[0]
        (3, True)
    """

    def __init__(
        self,
        parts: TrainingParts,
        args: LoopArguments | None = None,
        callbacks: Iterable[Any] = (),
        state: TrainerState | None = None,
    ) -> None:
        self.args = args or LoopArguments()
        self.parts = parts.with_scaler(self.args.precision, self.args.device)
        self.state = state or TrainerState.of_this_process()
        self.control = TrainerControl()
        self.losses = LossRecord()
        self.user_state: dict[str, Any] = {}
        self.update = Update(self.parts, self.args)
        self.handler = CallbackHandler(
            with_default_flow(callbacks),
            model=parts.model,
            optimizer=parts.optimizer,
            lr_scheduler=parts.scheduler,
        )
        if parts.evaluation is None and self.args.eval_strategy != IntervalStrategy.NO:
            raise ValueError(f"eval_strategy={self.args.eval_strategy!r} needs an evaluation")
        self._fire("init_end")

    def run(self) -> TrainingOutcome:
        """Train until the steps or epochs are done, or a callback stops it.

        Raises:
            ValueError: An epoch has no batch.
        """
        batches = self.parts.batches()
        self._plan(batches)
        if self.args.train_mode:
            self.parts.model.train()
        self.update.zero_grad()
        self._fire("train_begin")
        first = int(self.state.epoch)
        for epoch in range(first, first + self.state.num_train_epochs):
            batches = batches if epoch == first else self.parts.batches()
            self._run_epoch(epoch, batches)
            if self.control.should_training_stop:
                break
        losses = self.losses.to_list()
        outcome = TrainingOutcome(
            self.state.global_step, losses, self.update.num_skipped, self.state
        )
        self._log({"train_loss": outcome.training_loss})
        self._fire("train_end")
        return outcome

    def evaluate(self) -> EvaluationOutput:
        """Run the evaluation, log its metrics, and step the schedulers that watch its loss.

        Raises:
            ValueError: There is no evaluation among the parts.
        """
        evaluation = self.parts.evaluation
        if evaluation is None:
            raise ValueError("there is no evaluation among the parts that could be run")
        output = evaluation_loop(
            self.parts.model,
            evaluation,
            precision=self.args.precision,
            device=self.args.device,
            on_prediction_step=lambda: self._fire("prediction_step"),
        )
        self._log(output.metrics)
        self._fire("evaluate", metrics=output.metrics)
        loss = output.metrics.get(f"{evaluation.metric_key_prefix}_loss")
        for scheduler in self.parts.schedulers:
            if watches_metric(scheduler) and loss is not None:
                scheduler.step(loss)
        return output

    def _plan(self, batches: Iterable[Any]) -> None:
        num_batches = count_batches(batches)
        per_epoch = num_batches and math.ceil(num_batches / self._batches_per_update)
        state, args = self.state, self.args
        if args.max_steps > 0:
            state.max_steps = args.max_steps
            # Where the length is not known, an epoch makes at least one update.
            state.num_train_epochs = math.ceil(args.max_steps / (per_epoch or 1))
        else:
            state.num_train_epochs = args.num_train_epochs
            state.max_steps = state.global_step + (per_epoch or 0) * args.num_train_epochs
        state.compute_steps(args, state.max_steps)

    def _run_epoch(self, epoch: int, batches: Iterable[Any]) -> None:
        self.handler.train_dataloader = batches
        self._fire("epoch_begin")
        num_batches, num_done = count_batches(batches), 0
        for group in group_batches(batches, self._batches_per_update):
            if not self._run_update(group):
                break
            num_done += len(group)
            self.state.epoch = epoch + (num_done / num_batches if num_batches else 0)
            self._fire("step_end")
            self._log_evaluate_save()
            if self._is_stopped:
                break
        else:
            if num_done == 0:
                raise ValueError(
                    f"epoch {epoch} has no batch: `batches` must give them anew each time"
                )
            self.state.epoch = epoch + 1
        self._fire("epoch_end")
        self._log_evaluate_save()

    def _run_update(self, group: list[Any]) -> bool:
        """Do one update; False where a callback stopped it before the optimizer stepped."""
        self._fire("step_begin")
        if self.parts.train_step:
            loss = self._run_train_step(self.parts.train_step, *group)
        else:
            loss = self._accumulate(group)
            if self._is_stopped:
                return False
            self._step()
        self.losses.add(loss)
        self.state.global_step += 1
        return True

    def _run_train_step(self, train_step: Callable[..., Any], batch: Any) -> Any:
        self.state.batch_number += 1
        moved = to_device(batch, self.args.device)
        return train_step(self.parts.model, moved, self.parts.optimizer, self.user_state)

    def _accumulate(self, group: list[Any]) -> Any:
        loss: Any = 0
        for number, batch in enumerate(group, start=1):
            self.state.batch_number += 1
            moved = to_device(batch, self.args.device)
            loss = loss + self.update.backward(moved, len(group))
            if number < len(group):
                self._fire("substep_end")
                if self._is_stopped:
                    break
        return loss

    def _step(self) -> None:
        self.update.prepare()
        self._fire("pre_optimizer_step")
        has_stepped = self.update.step()
        self._fire("optimizer_step")
        if has_stepped:
            self.update.step_schedulers()
        self.update.zero_grad()

    def _log_evaluate_save(self) -> None:
        if self.control.should_log and self.losses.has_news:
            logs = {"loss": self.losses.take_mean()}
            if self.update.grad_norm is not None:
                logs["grad_norm"] = float(self.update.grad_norm)
            self._log({**logs, "learning_rate": float(self.update.learning_rate)})
        if self.control.should_evaluate:
            self.evaluate()
        if self.control.should_save:
            if self.args.output_dir is None:
                raise ValueError("a callback asked for a checkpoint, and there is no output_dir")
            save_checkpoint(self.parts, self.state, self.args.output_dir)
            self._fire("save")

    def _log(self, logs: dict[str, Any]) -> None:
        logs = {**logs, "epoch": self.state.epoch}
        self.state.log_history.append({**logs, "step": self.state.global_step})
        self._fire("log", logs=logs)

    def _fire(self, event: str, **kwargs: Any) -> None:
        self.control = self.handler.call_event(
            f"on_{event}", self.args, self.state, self.control, **kwargs
        )

    @property
    def _is_stopped(self) -> bool:
        return self.control.should_training_stop or self.control.should_epoch_stop

    @property
    def _batches_per_update(self) -> int:
        return 1 if self.parts.train_step else self.args.gradient_accumulation_steps
