"""Facts about the process group of torch.distributed that is there, if any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

if TYPE_CHECKING:
    from torch._C._distributed_c10d import Store  # torch.distributed has it and does not export it


def has_process_group() -> bool:
    """Tell whether torch.distributed is built in and initialised."""
    return dist.is_available() and dist.is_initialized()


def require_process_group(group: dist.ProcessGroup | None = None) -> dist.ProcessGroup:
    """Give the group, or the one of all ranks.

    Raises:
        ValueError: torch.distributed is not initialised.
    """
    chosen = group or (dist.group.WORLD if has_process_group() else None)
    if chosen is None:
        raise ValueError(
            "there is no process group: call torch.distributed.init_process_group first."
        )
    return chosen


def get_group_store() -> Store:
    """Give the store that the default group was made with."""
    # Not at the top: a torch built without distributed lacks it, and gathers in one process.
    from torch.distributed import distributed_c10d  # noqa: PLC0415  # see above

    # torch has no public way to its store, and a store of our own would need an address that
    # every rank can reach: what the group has already been given.
    store: Store = distributed_c10d._get_default_store()  # noqa: SLF001  # no public name, see above
    return store


def get_transfer_device(group: dist.ProcessGroup | None = None) -> torch.device:
    """Give the device whose tensors the group's backend can move."""
    if dist.get_backend(group) == dist.Backend.NCCL:
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu")
