"""The words for a gradient that is 0 everywhere."""

from ..facts import GradientFacts, GraphFacts, TrainingFacts
from ..facts.gradient_ends import GradientEnd
from ..report import Problem, Severity
from .wording import count, name_list, number

# In a Trainer's loop the step count stands still while tdebug looks: a weight may warm up with it.
COUNTED_ELSEWHERE = frozenset({"trainer", "lightning"})
# Where the loss is 0 already, these are how it gets there.
AT_THE_GOAL = frozenset({"bounds", "relu", "saturated"})
SURE = frozenset({"step", "bounds", "relu", "one_class", "saturated", "number", "same"})


def all_zero_problem(
    gradients: GradientFacts, graph: GraphFacts | None, training: TrainingFacts | None
) -> Problem:
    """Every parameter's gradient is 0, at the operator that makes it so."""
    ends = graph.ends.zero if graph is not None else ()
    sure = [end for end in ends if _is_sure(end, ends, training)]
    end = next(iter([*sure, *ends]), None)
    because = (
        f"{zero_text(end)}, and the gradient ends there"
        if end is not None
        else "the loss does not move with any of them"
    )
    return Problem(
        f"the gradient of {count(len(gradients.reached), 'parameter')} is exactly 0 in all "
        f"{gradients.num_batches} batches: {because}. Nothing is trained.",
        where=str(end.location) if end is not None and end.location is not None else "",
        hint=ZERO_HINTS.get(end.reason if end is not None else "", UNKNOWN),
        location=end.location if end is not None else None,
        severity=Severity.ERROR if sure else None,
        values={"num_parameters": len(gradients.reached), "reason": end.reason if end else ""},
    )


def _is_sure(
    end: GradientEnd, ends: tuple[GradientEnd, ...], training: TrainingFacts | None
) -> bool:
    """Whether it stays so: not a goal that is reached, nor a factor that comes with the data."""
    losses = [loss.value for loss in training.losses] if training is not None else []
    # A term times 0 beside a hinge that is met keeps the loss at its goal, as the hinge does.
    may_be_met = end.reason in AT_THE_GOAL or (
        end.reason == "number" and any(other.reason in AT_THE_GOAL for other in ends)
    )
    if may_be_met and losses and not any(losses):
        return False
    if end.reason == "number" and training is not None:
        return training.style not in COUNTED_ELSEWHERE
    return end.reason in SURE or bool(end.zeros)


def zero_text(end: GradientEnd) -> str:
    """Why what it hands on is 0: `round() is a step: its slope is 0 everywhere`."""
    name = f"{end.operator}()"
    held = f" ({name_list(end.zeros)})" if end.zeros else ""
    texts = {
        "step": f"{name} is a step: its slope is 0 everywhere",
        "bounds": f"all values that {name} is given lie beyond its bounds ({number(end.low)} and "
        f"{number(end.high)})",
        "relu": f"no value that {name} is given is above 0",
        "one_class": f"{name} goes over a dim of size 1, where its result never changes",
        "saturated": f"{name} is saturated: all its values are as far out as they go",
        "number": f"{name} multiplies by the number 0",
        "zeros": f"all factors in {name} are 0{held}",
        "same": f"{name} is given the same values as {name_list(end.same)}",
        "cancel": f"what {name} hands back on several ways adds up to 0",
    }
    return texts.get(end.reason, f"{name} hands on nothing but zeros")


ZERO_HINTS = {
    "step": "compute the loss from the value before it, and round only what is shown; or use the "
    "straight-through form x + (x.round() - x).detach().",
    "bounds": "look at the scale of what goes in (a factor of 255, a missing division); clamp only "
    "what is shown, or use sigmoid.",
    "relu": "look for a large negative bias, inputs that are not scaled, weights that are all 0.",
    "one_class": "for one output use sigmoid, or BCEWithLogitsLoss on the logits; or name the dim "
    "that holds the classes.",
    "saturated": "look at the scale of what goes in: inputs that are not scaled, weights that "
    "start too large.",
    "number": "look at that factor: a weight of 0 in the settings, or a whole-number division "
    "(1 // 2).",
    "zeros": "start at most one of the factors at 0 (in LoRA A is random, only B is 0).",
    "same": "one of them is likely meant to be another tensor.",
    "cancel": "look whether the same tensor is given twice.",
}
UNKNOWN = "look for a saturated or clamped output, dead ReLUs, or a loss that is constant."
