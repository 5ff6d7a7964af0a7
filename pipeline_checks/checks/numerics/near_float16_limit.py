"""TD603: float16 would not hold what a module gives out."""

from collections.abc import Iterator

from ...facts.ranges import RangeFact, RangeFacts
from ...report import Problem, Severity, Stage
from ..registry import check
from ..wording import number

FP16_LARGEST = 65504.0
MOST_NAMED = 3


@check("TD603", Severity.INFO, stage=Stage.FORWARD)
def near_float16_limit(ranges: RangeFacts) -> Iterator[Problem]:
    """A module's output is beyond half of the largest float16, in a run in float32 or bfloat16.

    Why it matters: nothing is wrong as it is. With precision fp16 these values are inf, or will be
    after some steps of training: float16 holds at most 65504.

    How to fix it: train in bfloat16, whose range is that of float32. For fp16, run the modules
    named in float32 (autocast(enabled=False)) or scale down what goes into them. `tdebug trace`
    shows the range of every module.
    """
    outer = [fact for fact in ranges.near_limit if not _is_handed_on(fact, ranges.near_limit)]
    if not outer:
        return
    worst = max(outer, key=lambda fact: fact.abs_max)
    name = f"{worst.module} ({worst.module_type})" if worst.module else "the model"
    more = f"; beyond half of it is also {_names(outer, worst)}" if len(outer) > 1 else ""
    yield Problem(
        f"{name} reaches {number(worst.abs_max)} in {worst.dtype}, "
        f"{worst.abs_max / FP16_LARGEST:.3g} times the largest float16 (65504){more}.",
        where=f"batch {ranges.batch}",
        hint="bfloat16 holds it; with fp16 run these modules in float32.",
        values={fact.module: fact.abs_max for fact in outer},
    )


def _is_handed_on(fact: RangeFact, facts: tuple[RangeFact, ...]) -> bool:
    """Whether a module inside this one gives out the same value."""
    prefix = f"{fact.module}." if fact.module else ""
    return any(
        inner is not fact and inner.module.startswith(prefix) and inner.abs_max == fact.abs_max
        for inner in facts
    )


def _names(facts: list[RangeFact], worst: RangeFact) -> str:
    others = [fact.module or "the model" for fact in facts if fact is not worst]
    more = len(others) - MOST_NAMED
    return ", ".join(others[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
