"""What is kept of a call of a torch function that raised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from ..nested import leaves
from .layers import layer_sizes
from .loss_signatures import SIGNATURES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..facts.tensors import TensorFact
    from .batch_context import BatchContext
    from .modules import ModuleWatch

MAX_MEASURED = 1_000_000
MAX_TEXT = 100
ROLES = {
    "linear": ("input", "weight", "bias"),
    "conv1d": ("input", "weight", "bias"),
    "conv2d": ("input", "weight", "bias"),
    "conv3d": ("input", "weight", "bias"),
    "embedding": ("input", "weight"),
    "batch_norm": ("input", "running_mean", "running_var", "weight", "bias"),
    "layer_norm": ("input", "", "weight", "bias"),
    **SIGNATURES,
}
OTHER_ROLES = ("first", "second", "third", "fourth")


class TorchCall(NamedTuple):
    """A call of a torch function: its name and its arguments."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass
class FailedCall:
    """The innermost torch function that raised; see `FailureFact` for the fields they share."""

    error: BaseException
    function: str
    operands: tuple[TensorFact, ...]
    module: str | None
    module_type: str
    module_sizes: dict[str, float]
    arguments: tuple[str, ...] = ()


def describe_failure(
    error: BaseException, call: TorchCall, context: BatchContext, modules: ModuleWatch
) -> FailedCall:
    """The function that raised, with its operands named."""
    path, module = modules.innermost
    top = modules.stack[-1] if modules.stack else None
    shown = top if top is not None and id(top) not in modules.names else module
    return FailedCall(
        error,
        call.name,
        tuple(_operands(call, context)),
        path,
        type(shown).__name__ if shown is not None else "",
        layer_sizes(shown) if shown is not None else {},
        tuple(_other_arguments(call)),
    )


def _operands(call: TorchCall, context: BatchContext) -> Iterator[TensorFact]:
    roles = ROLES.get(call.name, OTHER_ROLES)
    for role, value in [*zip(roles, call.args, strict=False), *call.kwargs.items()]:
        for tensor in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(tensor, torch.Tensor):
                is_measured = tensor.numel() < MAX_MEASURED
                yield context.fact(tensor, role, with_range=is_measured)


def _other_arguments(call: TorchCall) -> Iterator[str]:
    """The arguments that hold no tensor, as Python writes them."""
    named = [(f"{key}=", value) for key, value in call.kwargs.items()]
    for key, value in [*(("", value) for value in call.args), *named]:
        if not any(isinstance(leaf, torch.Tensor) for _, leaf in leaves(value)):
            yield f"{key}{value!r}"[:MAX_TEXT]
