"""TD317: the user's code ends the process."""

from collections.abc import Iterator

from ...facts import TrainingFacts
from ...report import Problem, Severity
from ..failures import is_ending, place
from ..registry import check


@check("TD317", Severity.ERROR)
def forward_ends_process(training: TrainingFacts) -> Iterator[Problem]:
    """The code called in training raises SystemExit or KeyboardInterrupt.

    Why it matters: the training ends there without an error, often with exit code 0, as if it had
    finished.

    How to fix it: raise an exception that says what is wrong; keep `sys.exit` in the command-line
    part of the program.
    """
    failure = next((f for f in training.failures if is_ending(f)), None)
    if failure is None:
        return
    text = f" with {failure.error.text!r}" if failure.error.text else ""
    yield Problem(
        f"the code run in {failure.stage} raised {failure.error.type}{text}: it ends the process.",
        where=place(failure, training),
        hint="raise an exception in place of sys.exit(), or return.",
        location=failure.error.location,
        values={"type": failure.error.type, "text": failure.error.text},
        stack=failure.error.user_frames,
        stage=failure.stage,
    )
