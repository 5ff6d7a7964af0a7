"""Have the ranks agree before each collective, which would hang or mix up what does not fit."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from ..facts.distributed import RankCall

if TYPE_CHECKING:
    from .user_code import UserCode

# The position and the name of what each rank hands over, where that must be of one shape.
ALIKE: dict[str, tuple[int, str]] = {
    "all_gather": (1, "tensor"),
    "all_gather_into_tensor": (1, "input_tensor"),
    "all_reduce": (0, "tensor"),
    "broadcast": (0, "tensor"),
    "gather": (0, "tensor"),
    "reduce": (0, "tensor"),
    "reduce_scatter_tensor": (1, "input"),
}
ANY_FORM = (
    "all_gather_object",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast_object_list",
    "gather_object",
    "reduce_scatter",
    "scatter",
    "scatter_object_list",
)

Meet = Callable[[RankCall], object]


@contextmanager
def guarded_collectives(meet: Meet, code: UserCode, rank: int) -> Iterator[None]:
    """Call `meet` before each collective of all ranks; it raises where they do not agree.

    Only what is called by the names in `torch.distributed` is seen: not DistributedDataParallel's
    own gradients, not point-to-point messages, not the collectives of a part of the ranks.

    Args:
        meet: Called with where this rank is.
        code: Which code is the user's.
        rank: This rank.
    """
    names = [name for name in (*ALIKE, *ANY_FORM) if hasattr(dist, name)]
    originals = {name: getattr(dist, name) for name in names}

    def guard(name: str, original: Any) -> Any:
        @functools.wraps(original)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            if _is_of_all(kwargs.get("group")):
                place = code.caller()
                arrays = _arrays(name, args, kwargs)
                meet(RankCall(rank, name, str(place or ""), place, arrays))
            return original(*args, **kwargs)

        return guarded

    for name, original in originals.items():
        setattr(dist, name, guard(name, original))
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(dist, name, original)


def _is_of_all(group: Any) -> bool:
    return group is None or group is dist.group.WORLD


def _arrays(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, ...]:
    if name not in ALIKE or dist.get_backend() == dist.Backend.NCCL:  # NCCL takes some uneven ones
        return ()
    position, keyword = ALIKE[name]
    handed = args[position] if len(args) > position else kwargs.get(keyword)
    if not isinstance(handed, torch.Tensor):
        return ()
    return (f"{list(handed.shape)} {str(handed.dtype).removeprefix('torch.')}",)
