"""What a training loop gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .trainer_state import TrainerState


@dataclass(frozen=True)
class TrainingOutcome:
    """What a training did.

    Attributes:
        global_step: Updates done, with the skipped ones.
        losses: The loss of each update, the mean over its batches; nan where a `train_step` gave
            none.
        num_skipped: Updates that the GradScaler skipped because gradients were not finite.
        state: The state at the end, with all logs.
    """

    global_step: int
    losses: list[float]
    num_skipped: int
    state: TrainerState

    @property
    def training_loss(self) -> float:
        """The mean loss over all updates, nan without any."""
        return sum(self.losses) / len(self.losses) if self.losses else float("nan")

    @property
    def log_history(self) -> list[dict[str, Any]]:
        """All that was logged."""
        return self.state.log_history
