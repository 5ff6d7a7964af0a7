"""Why an operator hands on a gradient of nothing but zeros."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import torch

from .graph import leaf_tensors_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch.autograd.graph import Node

    from .graph_trace import Site

STEPS = frozenset({"Round", "Floor", "Ceil", "Trunc", "Sign", "Sgn"})
BOUNDS = frozenset({"Clamp", "ClampMin", "ClampMax", "Hardtanh", "Hardsigmoid"})
RELUS = frozenset({"Relu", "Threshold"})
SOFTMAXES = frozenset({"Softmax", "LogSoftmax"})
SATURATING = frozenset({"Sigmoid", "Tanh", "LogSigmoid"})
PRODUCTS = frozenset({"Mul", "Mm", "Bmm", "Addmm", "Addbmm", "Baddbmm", "Mv", "Dot", "Div"})
TIMES = frozenset({"mul", "mul_", "__mul__", "__rmul__", "__imul__", "multiply"})
FACTORS = ("self", "other", "mat1", "mat2", "vec", "batch1", "batch2", "tensor")
RANGES = (("min", "max"), ("min_val", "max_val"))


def why_zero(node: Node, site: Site | None) -> str:
    """The reason, as `GradientEnd` has it; `zero` where it is not known."""
    kind = kind_of(node)
    is_relu = kind == "Clamp" and _saved(node, "max") is None and _saved(node, "min") == 0
    known = {
        "same": site is not None and bool(site.same),
        "step": kind in STEPS or bool(getattr(node, "_saved_rounding_mode", None)),
        "relu": kind in RELUS or is_relu,
        "bounds": kind in BOUNDS,
        "one_class": kind in SOFTMAXES and _size_of_dim(node) == 1,
        "saturated": kind in SATURATING | SOFTMAXES,
        "number": site is not None and site.function in TIMES and 0 in site.numbers,
        "zeros": kind in PRODUCTS and _are_factors_zero(node),
    }
    return next((reason for reason, holds in known.items() if holds), "zero")


def kind_of(node: Node) -> str:
    """The operator that the node goes back through: `Mul` for `MulBackward0`."""
    return re.sub(r"Backward\d*$", "", node.name())


def bounds_of(node: Node) -> tuple[float | None, float | None]:
    """What it clamps to, None where it does not say so in numbers."""
    for low, high in RANGES:
        found = _saved(node, low), _saved(node, high)
        if found != (None, None):
            return found
    return None, None


def zero_parameters(node: Node, names: Mapping[int, str]) -> tuple[str, ...]:
    """The parameters behind the node that are all 0."""
    held = [leaf for leaf in leaf_tensors_of(node) if id(leaf) in names]
    return tuple(names[id(leaf)] for leaf in held if not bool(leaf.detach().count_nonzero()))


def _are_factors_zero(node: Node) -> bool:
    """Whether all factors that the node keeps are 0."""
    factors = [_value(node, name) for name in FACTORS]
    known = [factor for factor in factors if isinstance(factor, torch.Tensor)]
    return bool(known) and not any(bool(factor.count_nonzero()) for factor in known)


def _value(node: Node, name: str) -> Any:
    """A value that the node keeps, None without one, or where it was changed in place since."""
    with suppress(RuntimeError, AttributeError):
        return getattr(node, f"_saved_{name}")
    return None


def _saved(node: Node, name: str) -> float | None:
    value = _value(node, name)
    if isinstance(value, torch.Tensor):
        value = value.item() if value.numel() == 1 else None
    return float(value) if isinstance(value, (int, float)) else None


def _size_of_dim(node: Node) -> int | None:
    result, dim = _value(node, "result"), _value(node, "dim")
    if not isinstance(result, torch.Tensor) or not isinstance(dim, int) or not result.dim():
        return None
    return result.shape[dim - 2**64 if dim >= 2**63 else dim]
