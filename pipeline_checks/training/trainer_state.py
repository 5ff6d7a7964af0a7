"""Where the training is, and whether it goes on."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .loop_arguments import LoopArguments


@dataclass
class TrainerState:
    """Where the training is; a step is one optimizer update, however many batches it takes.

    Attributes:
        epoch: Epochs done, with the part of the present one after the point; whole epochs only
            where the number of batches is not known.
        global_step: Updates done.
        max_steps: Updates to do, 0 where not known.
        num_train_epochs: Epochs to do.
        batch_number: The number of the batch at work, counted from 0 over all epochs; -1 before.
        logging_steps: Updates between two logs.
        eval_steps: Updates between two evaluations.
        save_steps: Updates between two checkpoints.
        log_history: All that was logged, with `epoch` and `step`.
        is_local_process_zero: Whether this is the first process of its machine.
        is_world_process_zero: Whether this is the first process of all.
    """

    epoch: float = 0
    global_step: int = 0
    max_steps: int = 0
    num_train_epochs: int = 0
    batch_number: int = -1
    logging_steps: int = 500
    eval_steps: int = 500
    save_steps: int = 500
    log_history: list[dict[str, Any]] = field(default_factory=list)
    is_local_process_zero: bool = True
    is_world_process_zero: bool = True

    @classmethod
    def of_this_process(cls) -> TrainerState:
        """A new state that knows its place among the processes that `torchrun` started."""
        return cls(
            is_local_process_zero=os.environ.get("LOCAL_RANK", "0") == "0",
            is_world_process_zero=os.environ.get("RANK", "0") == "0",
        )

    def compute_steps(self, args: LoopArguments, max_steps: int) -> None:
        """Take the three intervals over from `args`; a share below 1 becomes one of `max_steps`.

        Raises:
            ValueError: A share is asked for, and the number of steps is not known.
        """
        for name in ("logging_steps", "eval_steps", "save_steps"):
            steps = getattr(args, name)
            if steps < 1 and max_steps <= 0:
                raise ValueError(f"{name}={steps} is a share of max_steps, which is not known")
            setattr(self, name, math.ceil(steps * max_steps) if steps < 1 else int(steps))

    def save_to_json(self, json_path: str | os.PathLike[str]) -> None:
        """Write the state to a file."""
        text = json.dumps(dataclasses.asdict(self), indent=2, sort_keys=True)
        Path(json_path).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load_from_json(cls, json_path: str | os.PathLike[str]) -> TrainerState:
        """Read a state that `save_to_json` wrote."""
        return cls(**json.loads(Path(json_path).read_text(encoding="utf-8")))


@dataclass
class TrainerControl:
    """What the loop is to do next; callbacks set these switches and may return the control.

    Attributes:
        should_training_stop: Stop after this step; cleared when training begins.
        should_epoch_stop: Go on with the next epoch; cleared when an epoch begins.
        should_save: Write a checkpoint; cleared when a step begins and when it is written.
        should_evaluate: Evaluate; cleared when a step begins and when it was done.
        should_log: Log; cleared when a step begins and when it was done.
    """

    should_training_stop: bool = False
    should_epoch_stop: bool = False
    should_save: bool = False
    should_evaluate: bool = False
    should_log: bool = False
