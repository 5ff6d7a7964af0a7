"""The words for where a gradient ends."""

from ..facts.gradient_ends import GradientEnd

COMPARISONS = frozenset({"gt", "lt", "ge", "le", "eq", "ne", "greater", "less", "heaviside"})
INDICES = frozenset(
    {"argmax", "argmin", "argsort", "max", "min", "sort", "topk", "multinomial", "bucketize"}
)
CASTS = frozenset({"long", "int", "bool", "short", "byte", "char", "to", "type", "view_as"})
ATTRIBUTES = frozenset({"data"})
METHODS = frozenset({"detach", "detach_", "item", "tolist", "numpy"})
COPIES = frozenset({"tensor", "as_tensor", "new_tensor"})
DETACHING = frozenset({"data", "detach", "detach_"})
STAY = "stay in torch: hand on the tensors themselves, torch.stack(list) makes one of many."
STRAIGHT_THROUGH = (
    "use the soft value (sigmoid, softmax), or hand the gradient through as if it were not there: "
    "soft + (hard - soft).detach()."
)
SOFT_CHOICE = (
    "weigh all choices in place of looking one up: softmax(scores) @ embedding.weight, or "
    "F.gumbel_softmax(scores, hard=True)."
)


def end_text(end: GradientEnd) -> str:
    """What the operator does to the gradient: `argmax() at net.py:21 gives indices, ...`."""
    at = f" at {end.location}" if end.location is not None else ""
    name = _written(end.operator)
    if end.reason == "none":
        return f"the backward of {end.operator.removesuffix('Backward')}{at} returns None for it"
    if end.reason == "unused":
        return "nothing that is computed from them goes into the loss"
    if end.reason == "off":
        return f"{name}{at} runs under no_grad"
    if end.reason == "left":
        back = f", and a tensor is made of them anew at {end.back_at}" if end.back_at else ""
        return f"{name}{at} gives plain numbers{back}: the graph is left behind"
    return f"{name}{at} {_cut(end.operator)}"


def _written(operator: str) -> str:
    """The operator as it stands in the code: `.data`, `.detach()`, `argmax()`."""
    if operator in ATTRIBUTES:
        return f".{operator}"
    return f".{operator}()" if operator in METHODS else f"{operator}()"


def _cut(operator: str) -> str:
    if operator in COMPARISONS:
        return "is a comparison: true or false has no gradient"
    if operator in INDICES:
        return "gives indices, and indices have no gradient"
    if operator in CASTS:
        return "gives whole numbers, and those have no gradient"
    if operator in COPIES:
        return "copies the values and leaves the graph behind"
    if operator in DETACHING:
        return "cuts them off the graph"
    return "gives a value without a gradient"


def end_hint(end: GradientEnd) -> str:
    """What to do about it."""
    by_reason = {
        "none": "return the gradient for each input that needs one; None stands for no gradient.",
        "unused": "let the loss depend on them, remove them, or freeze them.",
        "off": "take the no_grad away there, or freeze them: requires_grad_(False).",
        "left": STAY,
    }
    return by_reason.get(end.reason) or _cut_hint(end.operator)


def _cut_hint(operator: str) -> str:
    by_operator = {
        **dict.fromkeys(COPIES, STAY),
        **dict.fromkeys(INDICES, SOFT_CHOICE),
        **dict.fromkeys(COMPARISONS | CASTS, STRAIGHT_THROUGH),
    }
    if operator in DETACHING:
        return f"take the {_written(operator)} away, or freeze what comes before it."
    otherwise = "compute it with operators that have a gradient, or freeze what comes before it."
    return by_operator.get(operator, otherwise)
