"""TD309: the target's dtype is not what the loss takes."""

from collections.abc import Iterator

from ...facts import CallFacts, TrainingFacts
from ...facts.calls import LossCall
from ...report import Problem, Severity, Stage
from ..loss_rules import (
    BINARY,
    CLASS_DTYPES,
    is_column_target,
    is_one_hot_of_integers,
    is_over_classes,
    is_swapped,
)
from ..registry import check
from ..wording import batch, shape_text


@check("TD309", Severity.ERROR)
def target_dtype_does_not_fit(
    calls: CallFacts, training: TrainingFacts | None
) -> Iterator[Problem]:
    """The loss gets a target of a dtype that it does not take.

    Why it matters: cross entropy takes class ids as int64 (or probabilities as floats), the binary
    and regression losses take floats. With another dtype the loss or its backward raises, with a
    text that names neither.

    How to fix it: `labels.float()` for BCE and regression, `labels.long()` for cross entropy; in
    the dataset where you can, else before the loss.
    """
    for call in calls.losses:
        if is_swapped(call):
            yield _swapped(call, training)
            return
        stage = _broken_stage(call, training)
        found = _explain(call) if stage is not None else None
        if found is None:
            continue
        message, hint = found
        indices = training.indices_of(call.batch) if training is not None else ()
        name = f"batch{call.target.field}" if call.target.field else "the target"
        yield Problem(
            f"{name} is {call.target.dtype} {shape_text(call.target.shape)}, which {call.name} "
            f"does not take as its target: {message}.",
            where=batch(call.batch, indices),
            hint=hint,
            location=call.location,
            values={"target": call.target.dtype, "output": call.input.dtype},
            stage=stage,
        )
        return


def _swapped(call: LossCall, training: TrainingFacts | None) -> Problem:
    first = f"batch{call.input.field}" if call.input.field else "a tensor without gradient"
    return Problem(
        f"{call.name} gets its arguments in the wrong order: {first} ({call.input.dtype} "
        f"{shape_text(call.input.shape)}) stands first, the model's output ({call.target.dtype} "
        f"{shape_text(call.target.shape)}) second.",
        where=batch(call.batch, training.indices_of(call.batch) if training is not None else ()),
        hint=f"swap them: {call.function}(output, target).",
        location=call.location,
        values={"first": call.input.dtype, "second": call.target.dtype},
    )


def _broken_stage(call: LossCall, training: TrainingFacts | None) -> Stage | None:
    """Where it showed: at the call, or in the backward of its batch; None where nothing broke."""
    if call.value is None and call.options.get("reduction") != "none":
        return Stage.FORWARD
    failures = training.failures if training is not None else ()
    alike = [f.stage for f in failures if f.batch == call.batch]
    return alike[0] if alike and alike[0] in {Stage.FORWARD, Stage.BACKWARD} else None


def _explain(call: LossCall) -> tuple[str, str] | None:
    target = call.target
    if is_over_classes(call):
        if is_one_hot_of_integers(call) and (call.num_classes or 0) > 1:
            kind = "one-hot vectors or " if _is_one_hot(call) else ""
            return f"of the output's own shape it must be floating-point ({kind}probabilities)", (
                "give class ids, target.argmax(1), or target.float(); for several labels at once "
                "BCEWithLogitsLoss is the loss."
            )
        is_ids = call.input.shape != target.shape and not is_column_target(call)
        if is_ids and target.dtype not in CLASS_DTYPES:
            return "class ids must be int64", "cast the class ids with .long()."
        return None
    if target.is_floating or not call.input.is_floating or target.shape != call.input.shape:
        return None
    if call.function in BINARY:
        return f"binary cross entropy needs {call.input.dtype} targets", (
            "cast the target with labels.float(); the 0/1 values are fine."
        )
    return f"it needs {call.input.dtype}", "cast the target with .float()."


def _is_one_hot(call: LossCall) -> bool:
    return (call.target.min, call.target.max) == (0, 1)
