"""An operator's result as it would have been with the range and precision of float64."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from .operators import Operator, iterate_outputs

if TYPE_CHECKING:
    from torch._ops import OpOverload


def recompute_in_float64(
    operator: Operator,
    func: OpOverload,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    known: dict[int, Tensor] | None = None,
) -> list[Tensor] | None:
    """Run an operator again on its inputs widened to float64.

    Args:
        operator: Facts about `func`.
        func: The overload that was run.
        args: Its positional arguments.
        kwargs: Its keyword arguments.
        known: For inputs that have a float64 value of their own already, that value by `id`.

    Returns:
        The outputs in order, or None where running it again would change something (random numbers,
        arguments written in place) or float64 is not implemented.
    """
    if operator.is_random or operator.written:
        return None
    known = known or {}
    wide_args = tuple(_widen(value, known) for value in args)
    if operator.overload.startswith(("aten._softmax", "aten._log_softmax")):
        wide_args = (*wide_args[:2], False)  # half_to_float is refused for float64
    wide_kwargs = {name: _widen(value, known) for name, value in kwargs.items()}
    try:
        return list(iterate_outputs(func(*wide_args, **wide_kwargs)))
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        return None


def _widen(value: Any, known: dict[int, Tensor]) -> Any:
    if isinstance(value, Tensor):
        if id(value) in known:
            return known[id(value)]
        return value.to(torch.float64) if value.is_floating_point() else value
    if isinstance(value, torch.dtype) and value.is_floating_point:
        return torch.float64
    if isinstance(value, (list, tuple)):
        return type(value)(_widen(item, known) for item in value)
    return value
