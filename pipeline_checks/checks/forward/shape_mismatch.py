"""TD302: sizes that do not fit together."""

from collections.abc import Iterator

from ...facts import ModelFacts, TrainingFacts
from ...report import Problem, Severity, Stage
from ..dtype_rules import find_dtype_clash
from ..failures import first_failure, place
from ..registry import check
from ..shape_rules import find_mismatch


@check("TD302", Severity.ERROR)
def shape_mismatch(training: TrainingFacts, model: ModelFacts | None) -> Iterator[Problem]:
    """A layer or an operator gets sizes that it cannot take.

    Why it matters: the batch cannot be computed. The sizes usually tell which of the two is wrong:
    the layer, or the data that it was not built for.

    How to fix it: make the layer's own size the one that arrives, or reshape or resize what
    arrives. Print `x.shape` at the line shown where the finding does not say it all.
    """
    failure = first_failure(training, Stage.FORWARD)
    if failure is None or find_dtype_clash(failure) is not None:
        return
    found = find_mismatch(failure, model)
    if found is None:
        return
    yield Problem(
        found.message,
        where=place(failure, training),
        hint=found.hint,
        location=failure.error.location,
        values={"module": failure.module, "function": failure.function, **found.values},
        stack=failure.error.user_frames,
    )
