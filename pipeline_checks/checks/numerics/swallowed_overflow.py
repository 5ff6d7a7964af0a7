"""TD602: an overflow inside the model that a finite output hides."""

from collections.abc import Iterator

from ...facts import SwallowedFacts, TrainingFacts
from ...facts.swallowed import SwallowedOverflowFact
from ...report import Problem, Severity, Stage
from ..origins import operator_text, origin_place, origin_values, value_text
from ..registry import Undecided, check
from ..wording import count_of, number


@check("TD602", Severity.WARNING, stage=Stage.FORWARD)
def swallowed_overflow(
    swallowed: SwallowedFacts, training: TrainingFacts | None
) -> Iterator[Problem]:
    """A value inside the model overflows to inf and ends as a wrong, finite number.

    Why it matters: no nan shows and the loss looks healthy, but part of the output is 0 or a
    constant: the square of a float16 above 255 is inf, and the norm that divides by its root gives
    0. What passes through it gets no gradient. It was looked for in the first batch, where float16
    is at work or numbers are so large that their squares are beyond float32.

    How to fix it: compute the part named in float32 (`x = x.float()` before the square, the sum or
    the exponential, and back after it), as the norms of most libraries do; or use bfloat16, whose
    range is that of float32; or scale down what goes in.
    """
    if swallowed.not_looked_because:
        raise Undecided(swallowed.not_looked_because)
    found = swallowed.found
    if found is None:
        return
    origin = found.origin
    samples = training.indices_of(origin.batch) if training is not None else ()
    yield Problem(
        f"{operator_text(origin)} overflows {origin.dtype} in batch {origin.batch}: "
        f"{count_of(found.num_overflowed, found.num_results, 'element')} of its result "
        f"{'is' if found.num_overflowed == 1 else 'are'} {origin.kind}; {value_text(origin)}. "
        f"No inf is left at the end, but {_consequence(found)}.",
        where=origin_place(origin, samples) + _inner_line(found),
        hint=HINTS.get(origin.dtype, "scale down what goes in."),
        location=origin.location,
        values={
            **origin_values(origin),
            "wrong_in": found.wrong_in,
            "became": found.became,
            "should_be": found.should_be,
        },
    )


def _consequence(found: SwallowedOverflowFact) -> str:
    became, should_be = number(found.became), number(found.should_be)
    if found.wrong_in == "loss":
        return f"the loss is {became} in place of {should_be}"
    output = f"the output of {found.wrong_in}" if found.wrong_in else "the model's output"
    wrong = count_of(found.num_wrong, found.num_elements, "element")
    return f"{output} is wrong in {wrong}, for one {became} in place of {should_be}"


def _inner_line(found: SwallowedOverflowFact) -> str:
    return f", at {found.inner.file}:{found.inner.line}" if found.inner is not None else ""


HINTS = {
    "float16": "compute this in float32 (x.float() before it, and back after it), or use bfloat16.",
    "float32": "scale down what goes in, or compute this in float64.",
    "bfloat16": "scale down what goes in: bfloat16 has the range of float32.",
}
