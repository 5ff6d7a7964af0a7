"""What a batch gave as its loss, and what is kept of one that raised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

from ..facts.training import FailureFact, LossFact
from .batches import leaf_facts
from .layers import layer_sizes
from .values import dtype_name

if TYPE_CHECKING:
    from ..facts.exceptions import ExceptionFact
    from ..report import Stage
    from .batch_context import BatchContext
    from .calls import CallRecord
    from .modules import ModuleWatch


def loss_fact(loss: Any, batch: int) -> LossFact:
    """What the pipeline gave as its loss."""
    if not isinstance(loss, torch.Tensor):
        value = float(loss) if isinstance(loss, (int, float)) else None
        held = tuple(leaf_facts(loss)) if isinstance(loss, (Mapping, list, tuple)) else ()
        return LossFact(batch, type(loss).__name__, value=value, leaves=held)
    return LossFact(
        batch,
        "Tensor",
        tuple(loss.shape),
        dtype_name(loss.dtype),
        value=float(loss.detach()) if loss.numel() == 1 and not loss.is_complex() else None,
        requires_grad=loss.requires_grad,
        made_by=loss.grad_fn.name() if loss.grad_fn is not None else "",
    )


def failure_fact(  # noqa: PLR0913, PLR0917 - one argument for each thing that knows a part of it
    fact: ExceptionFact,
    error: BaseException,
    stage: Stage,
    context: BatchContext,
    batch: Any,
    record: CallRecord,
    modules: ModuleWatch,
) -> FailureFact:
    """What is kept of an exception: the module and the torch function at work, and their sizes."""
    call = record.failed if record.failed is not None and record.failed.error is error else None
    name, module = modules.innermost
    kind = type(module).__name__ if module is not None else ""
    sizes = layer_sizes(module) if module is not None else {}
    return FailureFact(
        stage=stage,
        batch=context.number,
        error=fact,
        indices=context.indices,
        module=call.module if call else name,
        module_type=call.module_type if call else kind,
        module_sizes=call.module_sizes if call else sizes,
        function=call.function if call else "",
        operands=call.operands if call else (),
        inputs=tuple(leaf_facts(batch)),
        arguments=call.arguments if call else (),
        module_inputs=modules.inputs_of_innermost(context),
    )
