"""TD506: the optimizer step raises."""

from collections.abc import Iterator

from ...facts import ExceptionFact, TrainingFacts
from ...report import Problem, Severity, Stage
from ..failures import first_failure, is_ending, place
from ..registry import check


@check("TD506", Severity.ERROR, is_fallback=True)
def step_fails(training: TrainingFacts) -> Iterator[Problem]:
    """The optimizer step, the scaler or the scheduler raises.

    Why it matters: the first batch is computed in vain, and training ends there.

    How to fix it: the frames shown are your own; the last of them is the line that raised. Many
    optimizers ask for dense gradients, and LBFGS for a closure.
    """
    failure = first_failure(training, Stage.STEP)
    if failure is None or is_ending(failure):
        return
    who = "the optimizer step" if _is_of_step(failure.error) else "the loop, after its backward,"
    yield Problem(
        f"{who} raised {failure.error}",
        where=place(failure, training),
        hint=_hint(failure.error),
        location=failure.error.location,
        values={"type": failure.error.type, "text": failure.error.text},
        stack=failure.error.user_frames,
    )


# torch's words for a parameter that is changed in place where gradients are on.
LEAF = "a leaf Variable that requires grad"
# What a GradScaler refuses, by the method of torch.amp.GradScaler that raised.
SCALER_HINTS = {
    "step": "call scaler.update() once after every scaler.step(optimizer).",
    "update": "call scaler.step(optimizer) before scaler.update(): a plain optimizer.step() in its "
    "place steps with gradients that still hold the scale, 65536 times too large at first.",
    "_check_scale_growth_tracker": "go back from scaler.scale(loss), not from the loss itself.",
    "unscale_": "call scaler.unscale_(optimizer) once for each step, before scaler.step.",
}


def _hint(error: ExceptionFact) -> str:
    raised = [frame for frame in error.frames if frame.file.endswith("grad_scaler.py")]
    if raised and raised[-1].function in SCALER_HINTS:
        return SCALER_HINTS[raised[-1].function]
    if _is_of_step(error):
        return "look at the line shown: sparse gradients need SparseAdam or SGD, LBFGS a closure."
    if LEAF in error.text:
        return "change parameters under torch.no_grad() (with torch.no_grad(): ema.mul_(...))."
    return "look at the line shown: it is reached once backward is done."


def _is_of_step(error: ExceptionFact) -> bool:
    """Whether an optimizer, a scaler or a scheduler raised, not the user's own line."""
    return not error.user_frames or error.frames[-1:] != error.user_frames[-1:]
