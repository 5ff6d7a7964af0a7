"""Look at a call of a loss before it can raise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from ..facts.calls import BadEntry, LossCall
from .embedding_calls import bad_entry
from .loss_signatures import OVER_CLASSES, OVER_SIGNS, name_arguments

if TYPE_CHECKING:
    from .batch_context import BatchContext
    from .modules import ModuleWatch

IGNORE_INDEX = -100
SUM_TOLERANCE = 1e-3
NUM_PROBED_ROWS = 64
SQUASHING = ("Softmax", "LogSoftmax", "Sigmoid", "Tanh", "Relu", "Softplus")
PASSING = (
    "View",
    "Squeeze",
    "Unsqueeze",
    "ToCopy",
    "Permute",
    "Transpose",
    "Clone",
    "Slice",
    "Reshape",
    "Alias",
)


def look_at_loss(
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    context: BatchContext,
    modules: ModuleWatch,
) -> LossCall | None:
    """What the loss is called with; None where its first two arguments are no tensors."""
    given = name_arguments(name, args, kwargs)
    output, target = given.get("input"), given.get("target")
    if not isinstance(output, torch.Tensor) or not isinstance(target, torch.Tensor):
        return None
    call = LossCall(
        batch=context.number,
        function=name,
        input=context.fact(output, "the output", with_range=True),
        target=context.fact(target, "the target", with_range=True),
        module=_loss_module(modules),
        in_model=modules.is_in_model(),
        options=_options(given),
        # tdebug itself calls a loss that was given as a part: the output is the user's last word.
        location=modules.code.caller() or modules.output_place,
        last_function=last_function(output),
        made_by=output.grad_fn.name() if output.grad_fn is not None else "",
        input_in_unit=_in_unit(output),
    )
    if name in OVER_CLASSES:
        return _over_classes(call, output, target, context)
    return replace(call, signs=_signs(target)) if name in OVER_SIGNS else call


def value_of(call: LossCall, result: Any) -> LossCall:
    """The call with the loss that it gave."""
    if isinstance(result, torch.Tensor) and result.numel() == 1 and result.device.type != "meta":
        return replace(call, value=float(result.detach()))
    return call


def _options(given: dict[str, Any]) -> dict[str, float | str | bool | None]:
    options: dict[str, float | str | bool | None] = {}
    for key in ("ignore_index", "reduction", "label_smoothing"):
        if isinstance(given.get(key), (int, float, str)):
            options[key] = given[key]
    for key in ("weight", "pos_weight"):
        options[f"has_{key}"] = isinstance(given.get(key), torch.Tensor)
    return options


def _loss_module(modules: ModuleWatch) -> str:
    top = modules.stack[-1] if modules.stack else None
    if top is None or any(True for _ in top.children()):
        return ""
    return type(top).__name__ if type(top).__name__.endswith("Loss") else ""


def last_function(output: torch.Tensor) -> str:
    """`Softmax`, `LogSoftmax`, `Sigmoid`, `Tanh`, `Relu` where that made the tensor, else "".

    Views and copies between are passed over.
    """
    node: Any = output.grad_fn
    for _ in range(6):
        if node is None:
            return ""
        name = node.name()
        for squashing in SQUASHING:
            if name.startswith(squashing):
                return squashing
        if not any(part in name for part in PASSING) or not node.next_functions:
            return ""
        node = node.next_functions[0][0]
    return ""


def _signs(target: torch.Tensor) -> tuple[int, int, int]:
    """How many targets are -1, 0 and 1."""
    if target.device.type == "meta":
        return 0, 0, 0
    below, zero, above = (int((target == sign).sum()) for sign in (-1, 0, 1))
    return below, zero, above


def _in_unit(output: torch.Tensor) -> bool:
    if not output.numel() or not output.is_floating_point() or output.device.type == "meta":
        return False
    low, high = output.detach().aminmax()
    return bool((low >= 0) & (high <= 1))


def _over_classes(
    call: LossCall, output: torch.Tensor, target: torch.Tensor, context: BatchContext
) -> LossCall:
    dimension = 1 if output.dim() > 1 else 0
    if not output.dim():
        return call
    classes = int(output.shape[dimension])
    call = replace(call, num_classes=classes, rows_sum_to_one=_rows_sum_to_one(output, dimension))
    if target.is_floating_point() or target.is_complex() or not target.numel():
        return call
    if target.shape != output.shape[:dimension] + output.shape[dimension + 1 :]:
        return call  # the shapes are wrong, and so no size tells how many classes there are
    ignore = call.options.get("ignore_index", IGNORE_INDEX)
    ignored = target.eq(ignore if isinstance(ignore, (int, float)) else IGNORE_INDEX)
    kept = target[~ignored]
    if not kept.numel():
        return replace(call, num_ignored=int(ignored.sum()))
    low, high = kept.aminmax()
    call = replace(
        call, num_ignored=int(ignored.sum()), target_min=float(low), target_max=float(high)
    )
    if int(low) >= 0 and int(high) < classes:
        return call
    return replace(call, bad_target=_bad_target(target, ~ignored, classes, context))


def _bad_target(
    target: torch.Tensor, kept: torch.Tensor, classes: int, context: BatchContext
) -> BadEntry:
    return bad_entry(target, kept & ((target < 0) | (target >= classes)), context)


def _rows_sum_to_one(output: torch.Tensor, dimension: int) -> bool:
    if (
        not output.is_floating_point()
        or output.shape[dimension] == 1
        or output.device.type == "meta"
    ):
        return False
    rows = output.detach().movedim(dimension, -1).reshape(-1, output.shape[dimension]).float()
    few = rows[:NUM_PROBED_ROWS]
    return _is_distribution(few) and _is_distribution(rows)


def _is_distribution(rows: torch.Tensor) -> bool:
    if not rows.numel():
        return False
    return bool((rows >= 0).all()) and bool(((rows.sum(-1) - 1).abs() < SUM_TOLERANCE).all())
