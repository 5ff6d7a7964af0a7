"""TD601: a forward gives nan or inf."""

from collections.abc import Iterator

from ...facts import NumericsFacts, StepFacts, TrainingFacts
from ...report import Problem, Severity, Stage
from ..loop_calls import scaled_steps
from ..origins import (
    became_text,
    operator_text,
    origin_hint,
    origin_in,
    origin_place,
    origin_values,
    value_text,
)
from ..registry import Undecided, check
from ..wording import batch


@check("TD601", Severity.ERROR, stage=Stage.FORWARD)
def non_finite_output(
    numerics: NumericsFacts,
    training: TrainingFacts | None,
    step: StepFacts | None = None,
) -> Iterator[Problem]:
    """The forward pass gives nan or inf.

    Why it matters: from that batch on the loss, the gradients and after one step all weights are
    nan. Everything after the operator named is a consequence.

    How to fix it: look at what goes into the operator named. float16 holds at most 65504: run that
    module in float32 or use bfloat16. Divisions, logarithms and roots need an eps; a softmax over a
    row of -inf gives nan.
    """
    origin = origin_in(numerics, Stage.FORWARD)
    scaled = scaled_steps(step.calls) if step is not None else []
    bad = [number for number, _ in numerics.bad_losses] + ([origin.batch] if origin else [])
    if scaled and bad and scaled[0][0] < min(bad):
        raise Undecided("it follows from steps with scaled gradients")
    if origin is None:
        yield from _without_origin(numerics, training)
        return
    samples = training.indices_of(origin.batch) if training is not None else ()
    details = value_text(origin)
    yield Problem(
        f"{operator_text(origin)} gives {origin.kind} ({origin.dtype or 'float32'}) in batch "
        f"{origin.batch}{f'; {details}' if details else ''}{became_text(origin)}.",
        where=origin_place(origin, samples),
        hint=origin_hint(origin),
        location=origin.location,
        values=origin_values(origin),
        stage=origin.stage,
    )


def _without_origin(numerics: NumericsFacts, training: TrainingFacts | None) -> Iterator[Problem]:
    for number_, value in numerics.bad_losses:
        because = numerics.not_found_because
        yield Problem(
            f"the loss of batch {number_} is {value}"
            + (f"; where it began is not known, because {because}." if because else "."),
            where=batch(number_, training.indices_of(number_) if training is not None else ()),
            hint="tdebug overflow names the operator; look at this batch's inputs and labels first "
            "(a mean over no element, a log or a division by 0).",
            values={"batch": number_},
        )
        return
