"""TD313: the first loss is far from that of a guess."""

from collections.abc import Iterator
from math import isfinite, log, prod

from ...facts import CallFacts, ModelFacts, TrainingFacts
from ...facts.calls import LossCall
from ...report import Problem, Severity
from ..loss_rules import is_over_classes, made_by
from ..registry import Undecided, check
from ..wording import batch, number

# Karpathy, "A recipe for training neural networks" (2019): verify the loss at initialisation.
LOW, HIGH = 0.5, 2.0
ALARMING = 5.0


@check("TD313", Severity.INFO)
def loss_unusual_at_start(
    calls: CallFacts, training: TrainingFacts | None, model: ModelFacts | None
) -> Iterator[Problem]:
    """The loss of the first batch is far from that of an even guess over the classes.

    Why it matters: a fresh classifier over C classes starts near ln C. A much larger value means
    that the first steps only undo a bad start (inputs that are not scaled, a last layer that is too
    large); a much smaller one that the head is trained already, or that the labels leak.

    How to fix it: scale the inputs to mean 0 and deviation 1, and look at the initialisation of
    the last layer. A pretrained head starts lower by right.
    """
    plain = [call for call in calls.losses if call.value is not None and _is_plain(call)]
    if not plain:
        raise Undecided("no plain classification loss was seen")
    call, value = plain[0], _start(plain, training)
    classes = call.num_classes or 1
    ratio = value / log(classes)
    if LOW <= ratio <= HIGH or not isfinite(ratio):
        return
    is_sample_wise = prod(call.target.shape) == call.input.shape[0]
    # Logits straight from a linear layer: a scale on cosines (ArcFace, CLIP) starts high by right.
    is_linear = call.made_by.startswith("Addmm") and not call.in_model
    is_alarming = ratio > ALARMING and is_sample_wise and is_linear
    is_own = model is None or not model.is_transformers
    yield Problem(
        f"{call.name} starts at {number(value)}; an even guess over {classes} classes gives "
        f"{number(log(classes))}.",
        where=batch(call.batch, training.indices_of(call.batch) if training is not None else ()),
        hint=_hint(ratio),
        location=call.location,
        severity=Severity.WARNING if is_alarming and is_own else None,
        values={"loss": value, "expected": log(classes), "num_classes": classes},
    )


def _start(plain: list[LossCall], training: TrainingFacts | None) -> float:
    """The mean over the batches; the first alone where the user's own loop steps in between."""
    first = plain[0]
    alike = [call.value or 0.0 for call in plain if call.location == first.location]
    own_loop = training is not None and training.style == "train_step"
    return alike[0] if own_loop else sum(alike) / len(alike)


def _is_plain(call: LossCall) -> bool:
    """Cross entropy of class ids, with nothing that shifts where it starts."""
    smoothing = call.options.get("label_smoothing") or 0
    return (
        is_over_classes(call)
        and (call.num_classes or 0) > 1
        and call.options.get("reduction", "mean") == "mean"
        and not call.options.get("has_weight")
        and smoothing == 0
        and not call.target.is_floating
        and not made_by(call, "softmax")
        and not call.rows_sum_to_one
    )


def _hint(ratio: float) -> str:
    if ratio > HIGH:
        return "scale the inputs (mean 0, deviation 1) and look at how the last layer is filled."
    return "fine for a pretrained head; else look whether the labels leak into the inputs."
