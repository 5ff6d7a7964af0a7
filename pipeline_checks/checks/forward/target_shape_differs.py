"""TD308: output and target have shapes that do not belong together."""

from collections.abc import Iterator

from ...facts import CallFacts, ModelFacts, TrainingFacts
from ...facts.calls import SpreadCall
from ...report import Problem, Severity
from ..loss_fields import ALIGN, fields_of
from ..loss_shapes import explain_shapes
from ..registry import check
from ..row_counts import explain_rows
from ..wording import batch, shape_text


@check("TD308", Severity.ERROR)
def target_shape_differs(
    calls: CallFacts, training: TrainingFacts | None, model: ModelFacts | None = None
) -> Iterator[Problem]:
    """The loss gets an output and a target of different shapes.

    Why it matters: cross entropy and the binary losses refuse it. The regression losses broadcast:
    an output [8, 1] against a target [8] becomes [8, 8], every prediction is compared with every
    target, and the model learns the mean. Losses of samples [8] times weights [8, 1] likewise.

    How to fix it: give both the same shape: `output.squeeze(-1)`, or `target[:, None]`. For cross
    entropy class ids have the shape [N], or [N, ...] with the classes as second dimension of the
    output.
    """
    for call in calls.losses:
        found = explain_shapes(call)
        if found is None:
            continue
        message, hint, severity = found
        rows = explain_rows(call, training, model) if call.value is None else None
        message, hint = rows or (message, hint)
        fields = fields_of(call, training)
        hint = ALIGN if fields else hint
        indices = training.indices_of(call.batch) if training is not None else ()
        yield Problem(
            f"{call.name} gets an output of shape {shape_text(call.input.shape)} and a target of "
            f"shape {shape_text(call.target.shape)}{message}{fields}.",
            where=batch(call.batch, indices),
            hint=f"{hint}.",
            location=call.location,
            severity=severity,
            values={"output": list(call.input.shape), "target": list(call.target.shape)},
        )
        return
    if calls.spread is not None:
        of_spread = _of_difference if calls.spread.function == "sub" else _of_product
        yield of_spread(calls.spread, training)


def _of_difference(call: SpreadCall, training: TrainingFacts | None) -> Problem:
    """A loss written by hand: every output is compared with every target."""
    rows = call.target.shape[0]
    return Problem(
        f"the output {shape_text(call.output.shape)} minus batch{call.target.field or ''} "
        f"{shape_text(call.target.shape)} broadcasts to [{rows}, {rows}]: {rows * rows} pairs in "
        f"place of {rows}.",
        where=batch(call.batch, training.indices_of(call.batch) if training is not None else ()),
        hint="squeeze the output, output.squeeze(-1), or give the target [:, None].",
        location=call.location,
        values={"output": list(call.output.shape), "target": list(call.target.shape)},
    )


def _of_product(call: SpreadCall, training: TrainingFacts | None) -> Problem:
    """Losses of the samples with weights: averaged over all pairs the weights do not act."""
    rows = call.output.shape[0]
    name = f"batch{call.target.field}" if call.target.field else "a tensor"
    verb = "times" if call.function == "mul" else "divided by"
    column = "weights" if call.target.shape == (rows, 1) else "losses"
    return Problem(
        f"{shape_text(call.output.shape)}, one value a sample, {verb} {name} "
        f"{shape_text(call.target.shape)} broadcasts to [{rows}, {rows}] before it is reduced: "
        f"every sample meets the weight of every other, {rows * rows} pairs in place of {rows}, "
        "and all samples weigh the same.",
        where=batch(call.batch, training.indices_of(call.batch) if training is not None else ()),
        hint=f"give both the same shape: {column}.squeeze(-1).",
        location=call.location,
        severity=None if call.target.field else Severity.WARNING,
        values={"output": list(call.output.shape), "target": list(call.target.shape)},
    )
