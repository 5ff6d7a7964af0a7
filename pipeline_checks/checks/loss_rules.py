"""What a loss takes: which functions mean what, and which calls do not fit them."""

from ..facts.calls import LossCall
from .operator_shapes import broadcast

CROSS_ENTROPIES = frozenset({"cross_entropy", "nll_loss", "nll_loss_nd"})
BINARY = frozenset({"binary_cross_entropy", "binary_cross_entropy_with_logits"})
REGRESSIONS = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "poisson_nll_loss"})
CLASS_DTYPES = frozenset({"int64", "uint8"})  # what torch's nll_loss takes as class ids


def is_over_classes(call: LossCall) -> bool:
    """Whether it compares scores with classes."""
    return call.function in CROSS_ENTROPIES


def made_by(call: LossCall, function: str) -> bool:
    """Whether the loss's input came straight out of this function: `softmax`, `sigmoid`."""
    return call.last_function.replace("_", "").lower() == function.replace("_", "")


def is_swapped(call: LossCall) -> bool:
    """Whether the labels stand first and the model's output second."""
    is_one_sided = is_over_classes(call) or call.function in BINARY
    is_label = call.input.field is not None or not call.input.is_floating
    return is_one_sided and is_label and not call.input.requires_grad and call.target.requires_grad


def is_column_target(call: LossCall) -> bool:
    """Cross entropy over several classes with a target of [N, 1]."""
    given, target = call.input.shape, call.target.shape
    return (
        is_over_classes(call)
        and len(target) == len(given) > 1
        and target[1] == 1
        and given[1] > 1
        and given[0] == target[0]
    )


def has_classes_last(call: LossCall) -> bool:
    """Cross entropy of [N, ..., C] with [N, ...]: torch wants the classes second."""
    given, target = call.input.shape, call.target.shape
    return is_over_classes(call) and len(given) > 2 and given[:-1] == target  # noqa: PLR2004


def is_one_hot_of_integers(call: LossCall) -> bool:
    """Cross entropy with a target of the output's own shape that is no floating-point one."""
    return (
        is_over_classes(call)
        and len(call.input.shape) > 1
        and call.input.shape == call.target.shape
        and not call.target.is_floating
    )


def spread(call: LossCall) -> tuple[int, ...] | None:
    """The shape that output and target broadcast to, where that is more than either has.

    [8, 1] against [8] compares every output with every target: [8, 8].
    """
    if call.function not in REGRESSIONS | BINARY or call.input.shape == call.target.shape:
        return None
    both = broadcast(call.input.shape, call.target.shape)
    if both is None or both in {call.input.shape, call.target.shape}:
        return None
    return both


def is_stacked(call: LossCall) -> bool:
    """Whether one of the two is a stack of what the other is one of.

    [5, 12, 1] against [12, 1]: the outputs of 5 critics against the target of all. Where the stack
    is as high as the batch is long the shapes do not tell, as in [8, 8] against [8].
    """
    few, many = sorted((call.input.shape, call.target.shape), key=len)
    return bool(few) and many[1:] == few and many[0] != few[0]


def other_way(call: LossCall) -> str:
    """How to make the shapes equal, where one has just a dimension of one more."""
    given, target = call.input.shape, call.target.shape
    if call.target.is_integer and given[:-1] == target and given[-1] > 1:
        return (
            f"class ids need CrossEntropyLoss over these {given[-1]} outputs, or as float one-hot "
            f"vectors: F.one_hot(target, {given[-1]}).float()"
        )
    if given and given[-1] == 1 and given[:-1] == target:
        return "squeeze the output, output.squeeze(-1), or give the target [:, None]"
    if target and target[-1] == 1 and target[:-1] == given:
        return "squeeze the target, target.squeeze(-1)"
    if len(given) > len(target) and 1 in given:
        return "squeeze or reshape the output to the target's shape"
    return "make output and target the same shape"
