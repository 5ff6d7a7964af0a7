"""How long the loop trains, with what precision, and when it logs, evaluates and saves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .interval_strategy import IntervalStrategy

if TYPE_CHECKING:
    import os

PRECISIONS = ("fp32", "bf16", "fp16")


@dataclass
class LoopArguments:
    """The settings of a `TrainingLoop`, under the names that Trainer's users know.

    Callbacks get them as `args`.

    Attributes:
        max_steps: Optimizer updates after which training stops; where it is not positive,
            `num_train_epochs` decides.
        num_train_epochs: Passes over the batches.
        gradient_accumulation_steps: Batches to one optimizer update. What is left over at the end
            of an epoch makes an update of its own.
        max_grad_norm: The norm of all gradients of the model is clipped to this; 0 does not clip.
        precision: `fp32`, or autocast to `bf16` or `fp16`; fp16 uses a GradScaler.
        train_mode: Put the model into train mode when training begins; else its mode is left.
        device: Where the batches are moved to; the model must be there already.
        logging_strategy: When the mean loss, the gradient norm and the learning rate are logged.
        logging_steps: Updates between two logs; below 1 a share of all updates.
        logging_first_step: Log after the first update too.
        eval_strategy: When the evaluation runs.
        eval_steps: Updates between two evaluations; `logging_steps` where None.
        eval_delay: Updates (or epochs, with that strategy) before the first evaluation.
        save_strategy: When a checkpoint is written.
        save_steps: Updates between two checkpoints.
        output_dir: Checkpoints go to `<output_dir>/checkpoint-<update>`.

    Raises:
        ValueError: A value that cannot be meant.
    """

    max_steps: int = -1
    num_train_epochs: int = 1
    gradient_accumulation_steps: int = 1
    max_grad_norm: float = 0.0
    precision: str = "fp32"
    device: str = "cpu"
    train_mode: bool = True
    logging_strategy: IntervalStrategy | str = IntervalStrategy.NO
    logging_steps: float = 500
    logging_first_step: bool = False
    eval_strategy: IntervalStrategy | str = IntervalStrategy.NO
    eval_steps: float | None = None
    eval_delay: float = 0
    save_strategy: IntervalStrategy | str = IntervalStrategy.NO
    save_steps: float = 500
    output_dir: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        self.logging_strategy = IntervalStrategy(self.logging_strategy)
        self.eval_strategy = IntervalStrategy(self.eval_strategy)
        self.save_strategy = IntervalStrategy(self.save_strategy)
        if self.eval_steps is None:
            self.eval_steps = self.logging_steps
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision is one of {', '.join(PRECISIONS)}, not {self.precision!r}")
        if self.save_strategy != IntervalStrategy.NO and self.output_dir is None:
            raise ValueError(f"save_strategy={self.save_strategy.value!r} needs an output_dir")
        self._require_positive("gradient_accumulation_steps", "logging_steps", "eval_steps")
        self._require_positive("save_steps", *([] if self.max_steps > 0 else ["num_train_epochs"]))
        if not 0 <= self.max_grad_norm <= math.inf:
            raise ValueError(f"max_grad_norm is 0 or a norm, not {self.max_grad_norm!r}")

    def _require_positive(self, *names: str) -> None:
        for name in names:
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)!r}")
