"""TD404: backward raises."""

from collections.abc import Iterator

from ...facts import TrainingFacts
from ...report import Problem, Severity, Stage
from ..failures import first_failure, is_ending, place
from ..registry import check


@check("TD404", Severity.ERROR, is_fallback=True)
def backward_fails(training: TrainingFacts) -> Iterator[Problem]:
    """The backward pass raises.

    Why it matters: without gradients nothing is trained.

    How to fix it: the error names the operator. Run that batch under
    `torch.autograd.detect_anomaly()` to see the forward line that made it; a custom
    `autograd.Function` must return one gradient for each input of its forward.
    """
    failure = first_failure(training, Stage.BACKWARD)
    if failure is None or is_ending(failure):
        return
    yield Problem(
        f"backward raised {failure.error}",
        where=place(failure, training),
        hint="run this batch under torch.autograd.detect_anomaly() to see the forward line.",
        location=failure.error.location,
        values={"type": failure.error.type, "text": failure.error.text},
        stack=failure.error.user_frames,
    )
