"""TD407: gradients that are nan or inf."""

from collections.abc import Iterator

from ...facts import GradientFacts, NumericsFacts, TrainingFacts
from ...facts.training import BadGradient
from ...report import Problem, Severity, Stage
from ..origins import operator_text, origin_hint, origin_in
from ..registry import Undecided, check
from ..wording import batch, count, name_list, sample_list

UNKNOWN = "run this batch alone under torch.autograd.detect_anomaly()."


@check("TD407", Severity.ERROR)
def non_finite_gradient(
    gradients: GradientFacts, training: TrainingFacts | None, numerics: NumericsFacts | None
) -> Iterator[Problem]:
    """A gradient is nan or infinite.

    Why it matters: one optimizer step with it, and the weights are nan for good. The loss of that
    batch may still look fine: `torch.where` hides a nan of the forward, not of the backward.

    How to fix it: make the operator named safe before it is used: `x / n.clamp(min=1)`,
    `sqrt(x + eps)`, rather than replacing its bad results afterwards.
    """
    if not gradients.bad:
        return
    if gradients.is_scaled:
        raise Undecided("a GradScaler's scale is in the gradients, and it skips such steps itself")
    first = gradients.bad[0]
    alike = [bad for bad in gradients.bad if bad.batch == first.batch]
    indices = training.indices_of(first.batch) if training is not None else ()
    origin = origin_in(numerics, Stage.BACKWARD, first.batch)
    began = origin_text = ""
    if origin is not None:
        origin_text = f"; it began in the backward of {operator_text(origin)}"
        began = f", {sample_list(origin.indices)}" if origin.indices else ""
    yield Problem(
        f"the gradient of {name_list([_shown(bad) for bad in alike])} is not finite in batch "
        f"{first.batch}{_loss_text(first, training)}{origin_text}.",
        where=batch(first.batch, indices) + began,
        hint=UNKNOWN if origin is None else origin_hint(origin),
        location=origin.location if origin is not None else None,
        values={
            "parameters": [bad.name for bad in alike],
            "batch": first.batch,
            "operator": origin.operator if origin is not None else None,
        },
    )


def _shown(bad: BadGradient) -> str:
    return f"{bad.name} ({bad.kind} in {count_text(bad)})"


def count_text(bad: BadGradient) -> str:
    """How many of its values are bad.

    >>> count_text(BadGradient("w", 0, "nan", 4, 4)), count_text(BadGradient("w", 0, "inf", 1, 4))
    ('all 4 values', '1 of 4 values')
    """
    total = count(bad.numel, "value")
    return f"all {total}" if bad.num_values == bad.numel else f"{bad.num_values} of {total}"


def _loss_text(bad: BadGradient, training: TrainingFacts | None) -> str:
    losses = training.losses if training is not None else ()
    value = next((loss.value for loss in losses if loss.batch == bad.batch), None)
    return "" if value is None or value - value != 0 else f", although its loss is {value:.4g}"
