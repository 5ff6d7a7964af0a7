"""What the optimizer step, and further steps on one batch, showed."""

from dataclasses import dataclass, field

from ..report import Location


@dataclass(frozen=True)
class StepCall:
    """One call in the user's own loop.

    Attributes:
        call: `zero_grad`, `backward`, `step`, `scheduler`, `clip`, `unscale`, `scaler_step` or
            `update`.
        subject: Number of the optimizer, for those that have one.
        location: The user's line.
        had_gradients: For `step`: whether any of its parameters had a gradient. For `backward`:
            whether any parameter of the model still had one from before, not counting zeros.
        has_closure: For `step`: whether it was given a closure, which runs backward inside.
        cut: For `backward`: the user's line that last took a tensor off the graph since the
            backward before, None where none was seen.
        cut_by: What it did there: `detach`, `numpy`.
        factor: For `step`: the factor of a GradScaler that the gradients still held when they
            moved the parameters; None where they held none, or the scaler itself made the step.
        limit: For `clip`: the largest norm or value that it leaves, None where it is no number.
    """

    call: str
    subject: int | None = None
    location: Location | None = None
    had_gradients: bool | None = None
    has_closure: bool = False
    cut: Location | None = None
    cut_by: str = ""
    factor: float | None = None
    limit: float | None = None


@dataclass(frozen=True)
class StepFacts:
    """What the optimizer step showed.

    Attributes:
        was_taken: Whether an optimizer step ran.
        was_skipped: Whether the GradScaler skipped it because of non-finite gradients.
        num_changed: Number of trainable parameters that changed.
        unchanged: Trainable parameters that did not change though their gradient was not 0.
        bad_after: Parameters that the step made non-finite.
        ratios: Norm of the change over the norm of the parameter, for parameters that changed.
        sizes: Root mean square of the change, likewise.
        calls: The calls of the user's own loop, one tuple a batch.
        scaler_is_off: Whether the loop scales its loss with a GradScaler that is off.
    """

    was_taken: bool = False
    was_skipped: bool = False
    num_changed: int = 0
    unchanged: tuple[str, ...] = ()
    bad_after: tuple[str, ...] = ()
    ratios: dict[str, float] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)
    calls: tuple[tuple[StepCall, ...], ...] = ()
    scaler_is_off: bool = False


@dataclass(frozen=True)
class RepeatFacts:
    """Losses of further optimizer steps on one batch, with dropout off.

    Attributes:
        losses: The first is before any step.
        lr: Learning rate of the first group.
        retry_lr: The rate of the retry, None without one.
        retry_losses: Its losses.
        still_zero: Parameters whose gradient was exactly 0 in every batch before and in every one
            of these steps too.
        not_tried_because: Why it was not tried; "" if it was.
    """

    losses: tuple[float, ...] = ()
    lr: float | None = None
    retry_lr: float | None = None
    retry_losses: tuple[float, ...] = ()
    still_zero: tuple[str, ...] = ()
    not_tried_because: str = ""
