"""Why an operator's result is not finite, told from its arguments while they are there."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from .operators import Operator, iterate_arguments, name_arguments
from .places import describe_places

if TYPE_CHECKING:
    from collections.abc import Callable

_SOFTMAXES = ("softmax", "log_softmax")
_SPREADS = {
    "std": "standard deviation",
    "std_mean": "standard deviation",
    "var": "variance",
    "var_mean": "variance",
}
_AVERAGES = {**_SPREADS, "mean": "mean", "median": "median", "nanmedian": "median"}
_LOSSES = ("loss", "entropy")


def explain_call(operator: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Give a clause that begins with "it" and says what in the arguments makes nan or inf.

    Empty where nothing in them says so.
    """
    given = name_arguments(operator, args, kwargs)
    tensors = [tensor for _, tensor in iterate_arguments(operator, args, kwargs)]
    if any(tensor.layout is not torch.strided or tensor.is_meta for tensor in tensors):
        return ""
    for explain in _EXPLANATIONS:
        with suppress(RuntimeError, TypeError):  # unusual tensors: the reason is an extra
            clause = explain(operator.name, given)
            if clause:
                return clause
    return ""


def _explain_nothing(name: str, given: dict[str, Any]) -> str:
    floating = [v for v in given.values() if isinstance(v, Tensor) and v.is_floating_point()]
    if not floating or any(tensor.numel() for tensor in floating):
        return ""
    shape = list(floating[0].shape)
    noun = _AVERAGES.get(name) or ("mean loss" if _is_loss(name) else "")
    if not noun:
        return f"it reads no element at all: its input {shape} is empty"
    return f"it is the {noun} of 0 elements {shape}: what was selected is empty"


def _explain_spread(name: str, given: dict[str, Any]) -> str:
    values = given.get("self")
    if name not in _SPREADS or not isinstance(values, Tensor):
        return ""
    count = _num_reduced(values, given.get("dim"))
    correction = given.get("correction", 1 if given.get("unbiased", True) else 0)
    if not count or count > (1 if correction is None else correction):
        return ""
    noun = f"{count} value{'s' if count > 1 else ''}"
    return f"it is the {_SPREADS[name]} of {noun} (input {list(values.shape)}): n - 1 is 0"


def _explain_ignored(name: str, given: dict[str, Any]) -> str:
    target = given.get("target")
    if not name.startswith("nll_loss") or not isinstance(target, Tensor) or not target.numel():
        return ""
    ignored = target == given.get("ignore_index", -100)
    if bool(ignored.all()):
        what = "its one target is" if target.numel() == 1 else f"all {target.numel()} targets are"
        return f"it averages over no target: {what} {int(target.flatten()[0])}, the ignore_index"
    weight = given.get("weight")
    if isinstance(weight, Tensor) and not bool(weight[target[~ignored]].any()):
        return "it averages over no target: the class weight of every one is 0"
    return ""


def _explain_masked_target(name: str, given: dict[str, Any]) -> str:
    target, scores = given.get("target"), given.get("self")
    if not (name.startswith("nll_loss") and isinstance(target, Tensor)):
        return ""
    if not isinstance(scores, Tensor) or scores.dim() < 1:
        return ""
    kept = target != given.get("ignore_index", -100)
    dimension = 1 if scores.dim() > 1 else 0
    picked = scores.gather(dimension, target.where(kept, 0).unsqueeze(dimension))
    masked = kept & (picked.squeeze(dimension) == -math.inf)
    if not bool(masked.any()):
        return ""
    where = describe_places(masked)
    return (
        f"it meets {int(masked.sum())} of {target.numel()} targets{f' ({where})' if where else ''} "
        "whose class has -inf for a score: a class that is masked, or has no probability left"
    )


def _explain_masked_rows(name: str, given: dict[str, Any]) -> str:
    scores = given.get("self")
    if name not in {*_SOFTMAXES, "logsumexp"} or not isinstance(scores, Tensor):
        return ""
    dim = given.get("dim")
    if not scores.dim() or dim is None:
        return ""
    hidden = (scores == -math.inf).all(dim)
    return _tell_rows(hidden, scores, f"whose {name} is {'-inf' if 'sum' in name else 'nan'}")


def _explain_attention_mask(name: str, given: dict[str, Any]) -> str:
    masks = [given.get(key) for key in ("attn_mask", "attn_bias")]
    mask = next((m for m in masks if isinstance(m, Tensor) and m.is_floating_point()), None)
    if name != "scaled_dot_product_attention" or mask is None or not mask.dim():
        return ""
    return _tell_rows((mask == -math.inf).all(-1), mask, "which leaves attention nothing to see")


def _tell_rows(hidden: Tensor, scores: Tensor, consequence: str) -> str:
    num_hidden, total = int(hidden.sum()), hidden.numel()
    if not num_hidden:
        return ""
    shape = list(scores.shape)
    if total == 1:
        return f"it reads {shape}, nothing but -inf (all is masked), {consequence}"
    verb = "is" if num_hidden == 1 else "are"
    return (
        f"it reads {shape}, where {num_hidden} of {total} rows ({describe_places(hidden)}) {verb} "
        f"nothing but -inf (all is masked), {consequence}"
    )


def _explain_product(name: str, given: dict[str, Any]) -> str:
    first, second = given.get("self"), given.get("other")
    if name.rstrip("_") != "mul" or not isinstance(first, Tensor):
        return ""
    if not isinstance(second, (Tensor, int, float)):
        return ""
    other = torch.as_tensor(second, device=first.device)
    num_met = int(((first == 0) & other.isinf()).sum() + ((other == 0) & first.isinf()).sum())
    return f"it multiplies 0 by an infinity, in {_elements(num_met)}" if num_met else ""


def _explain_scalar_divisor(name: str, given: dict[str, Any]) -> str:
    divisor = given.get("other")
    if name.rstrip("_") not in {"div", "true_divide"} or isinstance(divisor, (Tensor, str)):
        return ""
    return "it divides by the number 0 (a count or a length)" if divisor == 0 else ""


def _is_loss(name: str) -> bool:
    return any(word in name for word in _LOSSES)


def _num_reduced(values: Tensor, dim: Any) -> int:
    if not values.dim():
        return 1
    if dim is None or dim == []:
        return values.numel()
    dims = [dim] if isinstance(dim, int) else dim
    return math.prod(values.shape[d] for d in dims)


def _elements(count: int) -> str:
    return f"{count} element{'s' if count > 1 else ''}"


_EXPLANATIONS: tuple[Callable[[str, dict[str, Any]], str], ...] = (
    _explain_nothing,
    _explain_spread,
    _explain_ignored,
    _explain_masked_target,
    _explain_masked_rows,
    _explain_attention_mask,
    _explain_product,
    _explain_scalar_divisor,
)
