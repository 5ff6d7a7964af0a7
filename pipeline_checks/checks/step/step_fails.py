"""TD506: the optimizer step raises."""

from collections.abc import Iterator

from ...facts import TrainingFacts
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
    yield Problem(
        f"the optimizer step raised {failure.error}",
        where=place(failure, training),
        hint="look at the line shown: sparse gradients need SparseAdam or SGD, LBFGS a closure.",
        location=failure.error.location,
        values={"type": failure.error.type, "text": failure.error.text},
        stack=failure.error.user_frames,
    )
