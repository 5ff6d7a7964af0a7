"""TD308: output and target have shapes that do not belong together."""

from collections.abc import Iterator
from math import prod

from ...facts import CallFacts, TrainingFacts
from ...facts.calls import LossCall
from ...report import Problem, Severity
from ..loss_rules import (
    BINARY,
    REGRESSIONS,
    has_classes_last,
    is_column_target,
    is_one_hot_of_integers,
    is_over_classes,
    other_way,
    spread,
)
from ..registry import check
from ..wording import batch, shape_text


@check("TD308", Severity.ERROR)
def target_shape_differs(calls: CallFacts, training: TrainingFacts | None) -> Iterator[Problem]:
    """The loss gets an output and a target of different shapes.

    Why it matters: cross entropy and the binary losses refuse it. The regression losses broadcast:
    an output [8, 1] against a target [8] becomes [8, 8], every prediction is compared with every
    target, and the model learns the mean.

    How to fix it: give both the same shape: `output.squeeze(-1)`, or `target[:, None]`. For cross
    entropy class ids have the shape [N], or [N, ...] with the classes as second dimension of the
    output.
    """
    for call in calls.losses:
        found = _explain(call)
        if found is None:
            continue
        message, hint, severity = found
        indices = training.indices_of(call.batch) if training is not None else ()
        yield Problem(
            f"{call.name} gets an output of shape {shape_text(call.input.shape)} and a target of "
            f"shape {shape_text(call.target.shape)}{message}.",
            where=batch(call.batch, indices),
            hint=f"{hint}.",
            location=call.location,
            severity=severity,
            values={"output": list(call.input.shape), "target": list(call.target.shape)},
        )
        return


COLUMN = (
    ": a column vector, where one class id a row is asked for",
    "squeeze the target, target.squeeze(1), and make it .long()",
    None,
)
CLASSES_LAST = (
    ": the classes stand last, torch wants them second",
    "flatten both (output.flatten(0, -2), target.flatten()), or output.transpose(1, -1)",
    None,
)


def _explain(call: LossCall) -> tuple[str, str, Severity | None] | None:
    if call.function in REGRESSIONS | BINARY:
        return _of_equal_shapes(call)
    if not is_over_classes(call) or call.value is not None or is_one_hot_of_integers(call):
        return None
    if is_column_target(call):
        return COLUMN
    if has_classes_last(call):
        return CLASSES_LAST
    given, target = call.input.shape, call.target.shape
    if given and target and len(given) > 1 and given[0] != target[0]:
        hint = "a reshape or a slice made the number of rows differ: flatten and shift both alike"
        return f": {given[0]} rows against {target[0]}", hint, None
    return None


def _of_equal_shapes(call: LossCall) -> tuple[str, str, Severity | None] | None:
    given, target = call.input.shape, call.target.shape
    if given == target:
        return None
    both = spread(call)
    if both is not None:
        text = f", which broadcast to {shape_text(both)}: {prod(both)} pairs in place of "
        return text + str(max(call.input.numel, call.target.numel)), other_way(call), None
    if call.value is None and call.function in BINARY:
        return ", where both must be the same", other_way(call), None
    if call.value is not None and 1 in {call.input.numel, call.target.numel}:
        return None  # one number against all, as in the least-squares GAN, is meant
    broken = call.value is None and call.options.get("reduction") != "none"
    severity = None if broken else Severity.WARNING
    return ", which are not the same", other_way(call), severity
