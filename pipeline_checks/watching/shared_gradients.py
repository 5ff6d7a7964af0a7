"""What DistributedDataParallel does between ranks, for a model that nothing wraps.

The model itself stays as it is, so that code which reads its attributes finds them, and parameters
that a rank does not use need no setting.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torch import Tensor, nn

DENSE, SPARSE = 1, 2


def copy_from_rank_0(model: nn.Module) -> None:
    """Give all ranks the parameters and buffers of rank 0."""
    tensors = [tensor.detach() for tensor in chain(model.parameters(), model.buffers())]
    _together(tensors, lambda flat: dist.broadcast(flat, src=0))


def average_gradients(model: nn.Module) -> None:
    """Replace each gradient by the mean over all ranks; one that a rank lacks counts as zero."""
    parameters = [p for p in model.parameters() if p.requires_grad]
    if not parameters:
        return
    kinds = _kinds_on_all_ranks(parameters)
    pairs = list(zip(parameters, kinds, strict=True))
    for parameter, kind in pairs:
        if kind and parameter.grad is None:
            zeros = torch.zeros_like(parameter)
            parameter.grad = zeros.to_sparse(1) if kind == SPARSE else zeros
    for parameter, kind in pairs:
        if kind == SPARSE and parameter.grad is not None:
            parameter.grad = _mean_of_sparse(parameter.grad)
    dense = [p.grad for p, kind in pairs if kind == DENSE and p.grad is not None]
    _together(dense, lambda flat: dist.all_reduce(flat.div_(dist.get_world_size())))


def _kinds_on_all_ranks(parameters: list[nn.Parameter]) -> list[int]:
    """For each parameter whether any rank has a gradient, and of which kind."""
    kinds = [0 if p.grad is None else SPARSE if p.grad.is_sparse else DENSE for p in parameters]
    found = torch.tensor(kinds, device=parameters[0].device)
    dist.all_reduce(found, op=dist.ReduceOp.MAX)
    return [int(kind) for kind in found]


def _mean_of_sparse(gradient: Tensor) -> Tensor:
    mean = gradient.coalesce() / dist.get_world_size()
    dist.all_reduce(mean)
    return mean


def _together(tensors: Iterable[Tensor], exchange: Callable[[Tensor], object]) -> None:
    """Exchange all tensors of one kind in one go, and put the results where they were."""
    groups: dict[tuple[torch.dtype, torch.device], list[Tensor]] = defaultdict(list)
    for tensor in tensors:
        groups[tensor.dtype, tensor.device].append(tensor)
    for group in groups.values():
        flat = torch.cat([tensor.reshape(-1) for tensor in group])
        exchange(flat)
        parts = torch.split(flat, [tensor.numel() for tensor in group])
        for tensor, part in zip(group, parts, strict=True):
            tensor.copy_(part.view_as(tensor))
