"""TD323: `ignore_index` is one of two classes."""

from collections.abc import Iterator

from ...facts import CallFacts, TrainingFacts
from ...facts.calls import LossCall
from ...report import Problem, Severity
from ..loss_rules import is_over_classes
from ..registry import check
from ..wording import batch, count

TWO = 2
FEWEST = 16


@check("TD323", Severity.WARNING)
def real_class_ignored(calls: CallFacts, training: TrainingFacts | None) -> Iterator[Problem]:
    """The loss ignores one of two classes, so that only the other is left.

    Why it matters: `ignore_index=0` takes all samples of class 0 out of the loss. With one class
    left there is nothing to tell apart: the model learns to say it always.

    How to fix it: drop `ignore_index`, or give it a number that is no class, -100 as is usual.
    """
    for call in calls.losses:
        ignored = call.options.get("ignore_index")
        if not is_over_classes(call) or call.num_classes != TWO or ignored not in {0, 1}:
            continue
        if any(_counts_the_other(c, call) for c in calls.losses):
            continue
        alike = [c for c in calls.losses if _is_same(c, call)]
        num_ignored = sum(c.num_ignored for c in alike)
        total = sum(c.target.numel for c in alike)
        if min(num_ignored, total - num_ignored) < FEWEST:
            continue
        indices = training.indices_of(call.batch) if training is not None else ()
        yield Problem(
            f"{call.name} has ignore_index={ignored}, which is one of its 2 classes: "
            f"{num_ignored} of {count(total, 'target')} do not count, and all that are left are "
            f"class {1 - int(ignored or 0)}.",
            where=batch(call.batch, indices),
            hint="drop ignore_index, or give it a number that is no class: -100.",
            location=call.location,
            values={"ignore_index": ignored, "num_ignored": num_ignored, "total": total},
        )
        return


def _is_same(one: LossCall, other: LossCall) -> bool:
    return (one.function, one.location) == (other.function, other.location)


def _counts_the_other(one: LossCall, call: LossCall) -> bool:
    """Whether it is a loss of the same targets that ignores another number."""
    is_alike = is_over_classes(one) and one.num_classes == call.num_classes
    is_of_same = (one.batch, one.target.field) == (call.batch, call.target.field)
    return (
        is_alike and is_of_same and one.options.get("ignore_index") != call.options["ignore_index"]
    )
