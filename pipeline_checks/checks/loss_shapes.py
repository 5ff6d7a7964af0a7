"""What is wrong with the shapes of a loss's output and target."""

from math import prod

from ..facts.calls import LossCall
from ..report import Severity
from .loss_rules import (
    BINARY,
    REGRESSIONS,
    has_classes_last,
    is_column_target,
    is_one_hot_of_integers,
    is_over_classes,
    is_stacked,
    is_swapped,
    other_way,
    spread,
)
from .wording import shape_text

IMAGE = 2
# The rest of a sentence, the remedy, and a severity where it is not an error.
Explanation = tuple[str, str, Severity | None]

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


def explain_shapes(call: LossCall) -> Explanation | None:
    """Why output and target do not belong together, what to do, and how bad it is."""
    if call.function in REGRESSIONS | BINARY and not is_swapped(call):
        return _of_equal_shapes(call)
    if (
        is_swapped(call)
        or not is_over_classes(call)
        or call.value is not None
        or is_one_hot_of_integers(call)
    ):
        return None
    if is_column_target(call):
        return COLUMN
    if has_classes_last(call):
        return CLASSES_LAST
    given, target = call.input.shape, call.target.shape
    if given and target and len(given) > 1 and given[0] != target[0]:
        hint = "a reshape or a slice made the number of rows differ: flatten and shift both alike"
        return f": {given[0]} rows against {target[0]}", hint, None
    return _of_places(given, target) if call.target.is_integer else None


def _of_places(given: tuple[int, ...], target: tuple[int, ...]) -> Explanation | None:
    """Class ids for places of an image or a sequence, where the scores have others or none."""
    scored, asked = given[2:], target[1:]
    if not asked or scored == asked:
        return None
    if not scored:
        return (
            f": one row of scores a sample, but {shape_text(asked)} class ids each",
            "give the loss scores for each place, [batch, classes, ...], or one class id a sample",
            None,
        )
    if len(scored) != len(asked):
        return None
    what = "length" if len(asked) == 1 else "height and width" if len(asked) == IMAGE else "sizes"
    return (
        f": the {what} of the output, {_sizes(scored)}, not that of the target, {_sizes(asked)}",
        "bring the output to the target's size, "
        + (
            "F.interpolate(output, size=target.shape[1:], mode='bilinear'), or resize the target "
            "with mode='nearest'"
            if len(asked) == IMAGE
            else "by cutting or padding both alike"
        ),
        None,
    )


def _sizes(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _of_equal_shapes(call: LossCall) -> Explanation | None:
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
    if call.value is not None and is_stacked(call):
        return None
    broken = call.value is None and call.options.get("reduction") != "none"
    severity = None if broken else Severity.WARNING
    return ", which are not the same", other_way(call), severity
