"""Which module of what the user passed is watched, and what is refused."""

from __future__ import annotations

import torch
from torch import nn


def resolve_model(model: nn.Module) -> nn.Module:
    """Give the module whose forward is to be watched.

    DistributedDataParallel is looked through: the module inside is watched, under its own names.

    Raises:
        TypeError: It is no module, or one whose inner forwards do not run as Python: compiled,
            scripted, or replicated by DataParallel.
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"DebugUnderflowOverflow takes a torch.nn.Module, not {type(model)!r}.")
    if isinstance(model, nn.parallel.DistributedDataParallel):
        return resolve_model(model.module)
    if isinstance(model, nn.DataParallel):
        raise TypeError(
            "DataParallel runs copies of the model that the detector does not see. "
            "Use DistributedDataParallel (torchrun), or pass `model.module` and one device."
        )
    if isinstance(model, torch.jit.ScriptModule):
        raise TypeError(
            "A scripted model runs no Python at its modules, so there is nothing to watch. "
            "Pass the model as it was before torch.jit."
        )
    if is_compiled(model):
        raise TypeError(
            "torch.compile fuses the modules, so there are no module outputs to watch. "
            "Pass the model as it was before torch.compile (`model._orig_mod`) and run that one."
        )
    return model


def is_compiled(model: nn.Module) -> bool:
    """Tell whether torch.compile or `Module.compile` replaced the model's forward."""
    if hasattr(model, "_orig_mod"):
        return True
    return any(m._compiled_call_impl is not None for m in model.modules())  # noqa: SLF001 - only trace


def is_replayable(model: nn.Module) -> bool:
    """Tell whether one rank may run the model again without the others.

    Not where its forward waits for other ranks: FSDP, tensor parallel, synchronized batch norm.
    """
    if not is_distributed():
        return True
    if any(hasattr(parameter, "to_local") for parameter in model.parameters()):
        return False
    waiting = ("SyncBatchNorm", "FullyShardedDataParallel")
    return not any(type(module).__name__ in waiting for module in model.modules())


def has_no_values() -> bool:
    """Tell whether the forward that begins has no numbers to read, or must not be looked into.

    So it is under a FakeTensorMode, and while torch.jit.trace or a CUDA graph records operators.
    """
    if torch._C._get_tracing_state() is not None or _is_recording_cuda_graph():  # noqa: SLF001 - torch.jit.is_tracing is not exported
        return True
    key = torch._C._TorchDispatchModeKey.FAKE  # noqa: SLF001 - no public question
    return torch._C._get_dispatch_mode(key) is not None  # noqa: SLF001 - likewise


def _is_recording_cuda_graph() -> bool:
    if not torch.cuda.is_initialized():  # type: ignore[no-untyped-call] # torch leaves it untyped
        return False
    return bool(torch.cuda.is_current_stream_capturing())


def is_distributed() -> bool:
    """Tell whether there are other ranks."""
    dist = torch.distributed
    return dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1


def current_rank() -> int | None:
    """Give this process's rank, None where there are no other ranks."""
    return torch.distributed.get_rank() if is_distributed() else None
