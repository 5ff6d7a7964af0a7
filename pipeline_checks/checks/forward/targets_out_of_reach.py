"""TD322: targets that the model's last activation cannot give."""

from collections.abc import Iterator
from math import inf

from ...facts import CallFacts, TrainingFacts
from ...facts.calls import LossCall
from ...report import Problem, Severity
from ..registry import check
from ..wording import batch, number

REACH = {
    "softmax": (0.0, 1.0),
    "sigmoid": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
    "relu": (0.0, inf),
    "softplus": (0.0, inf),
}
REGRESSIONS = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"})
# A little beyond the range is noise, or a target that saturates on purpose.
BEYOND = 1.0
BELOW = 0.25


@check("TD322", Severity.WARNING)
def targets_out_of_reach(calls: CallFacts, training: TrainingFacts | None) -> Iterator[Problem]:
    """Regression targets lie far outside the range of the activation that ends the model.

    Why it matters: a sigmoid never gives more than 1, a ReLU never less than 0. The outputs are
    driven to the edge of the range, where there is no gradient, and stay there.

    How to fix it: take the last activation away, or scale the targets to its range.
    """
    for call in calls.losses:
        reach = REACH.get(call.last_function.lower())
        if call.function not in REGRESSIONS or _may_be_masked(call):
            continue
        if reach is None or not _is_beyond(call, reach):
            continue
        indices = training.indices_of(call.batch) if training is not None else ()
        name = call.last_function.lower()
        limits = f"{number(reach[0])} to {number(reach[1])}" if reach[1] < inf else "0 and more"
        target = f"batch{call.target.field}" if call.target.field else "the target"
        yield Problem(
            f"{call.name} gets the output of a {name}, which gives {limits}, but {target} runs "
            f"from {number(call.target.min)} to {number(call.target.max)}: out of its reach.",
            where=batch(call.batch, indices),
            hint=f"take the {name} away, or scale the targets to its range.",
            location=call.location,
            values={"min": call.target.min, "max": call.target.max, "activation": name},
        )
        return


def _may_be_masked(call: LossCall) -> bool:
    """Whether the losses of single targets are left to the user, who may take some out."""
    return call.options.get("reduction") == "none" or bool(call.options.get("has_weight"))


def _is_beyond(call: LossCall, reach: tuple[float, float]) -> bool:
    low, high = call.target.min, call.target.max
    if low is None or high is None or call.target.requires_grad:
        return False
    if reach[1] == inf:
        return low < -BELOW * max(high, 0.0)
    room = BEYOND * (reach[1] - reach[0])
    return low < reach[0] - room or high > reach[1] + room
