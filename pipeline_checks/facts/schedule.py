"""What a learning-rate scheduler is going to do."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ScheduleFact:
    """One scheduler, stepped for a trial and put back.

    Attributes:
        type: Class name.
        num_tried: Steps that were tried.
        raises_at: The step that raised, counted from 1; None where none did.
        error: What it raised.
        gone_from: The step after which the rate of every group is less than a millionth of what it
            was at most, until the end of the trial.
        limit: Steps that it allows, where it says so (OneCycleLR); None for others.
        half_period: Steps until the rate is lowest and rises again (CosineAnnealingLR).
        num_steps: How often training steps it; None where that is not known.
        per_epoch: Updates of the weights in one epoch, where known.
        num_epochs: Epochs of training, where known.
        is_by_epoch: Whether training steps it once an epoch, not once an update.
    """

    type: str
    num_tried: int = 0
    raises_at: int | None = None
    error: str = ""
    gone_from: int | None = None
    limit: int | None = None
    half_period: int | None = None
    num_steps: int | None = None
    per_epoch: int | None = None
    num_epochs: int | None = None
    is_by_epoch: bool = False
