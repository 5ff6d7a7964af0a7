"""A stage did not end within its time limit."""

from collections.abc import Iterator

from ...events import Death
from ...report import Problem, Severity
from ...worker.stack_text import user_frames
from ..registry import check


@check("TD012", Severity.ERROR)
def stage_timeout(death: Death) -> Iterator[Problem]:
    """A stage did not end within its time limit.

    The limit is `timeout` of the spec, 600 seconds by default, and counts for each stage. The
    finding stands in the stage that was ended and says where in the code it was at that moment.

    Why it matters:
        What hangs here hangs in training too: a lock that two processes wait for, a download
        without a network, an iteration without an end. A loader or a rank that waits looks like
        slow training.

    How to fix it:
        Look at the line that is named. Where the work is right and just long, raise `timeout`, or
        read less: `samples`, `budget`.
    """
    if death.kind != "timeout":
        return
    stack = user_frames(death.stack)
    place = f"it was at {stack[-1]}" if stack else "where it was could not be had"
    yield Problem(
        stage=death.stage,
        message=f"the {death.stage} stage came to {death.name} and was ended.",
        where=death.doing,
        hint=f"{place}; if that is no hang but work that takes so long, raise `timeout`.",
        location=stack[-1] if stack else None,
        stack=stack,
        values={"kind": death.kind, "limit": death.name},
    )
