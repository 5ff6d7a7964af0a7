"""A collective that names the rank that broke it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

from .attendance import NO_BEAT_S
from .current_roll_call import get_roll_call
from .errors import RanksMissingError
from .patience import Patience

if TYPE_CHECKING:
    from .roll_call import RollCall

_GRACE_S = 2.0  # what a rank has sent before it left may still be on its way


def all_gather(
    tensor: torch.Tensor, place: str, *, group: dist.ProcessGroup | None
) -> dict[int, torch.Tensor]:
    """Gather tensors of the same size and dtype, on the CPU, by the rank they came from.

    Raises:
        RanksMissingError: A rank died, failed or left meanwhile.
        RuntimeError: The backend failed though all ranks are there.
    """
    call = get_roll_call(group)
    parts = [torch.empty_like(tensor) for _ in call.ranks]
    patience = Patience(math.inf)
    try:
        work = dist.all_gather(parts, tensor, group=group, async_op=True)
        if work is not None:  # as it is for a process that is outside the group
            _watch(work, call, place, patience)
            work.wait()
    except RanksMissingError:
        raise
    except RuntimeError as error:
        if gone := call.find_gone(NO_BEAT_S + _GRACE_S):
            raise RanksMissingError(place, patience.waited_s, gone) from error
        raise
    return {rank: part.cpu() for rank, part in zip(call.ranks, parts, strict=True)}


def _watch(work: dist.Work, call: RollCall, place: str, patience: Patience) -> None:
    """Return when the work is done or has failed; raise if it cannot end, as a rank is gone."""
    gone_at_s = math.inf
    while not work.is_completed():
        if patience.is_time_to_look() and (gone := call.find_gone(0.0)):
            gone_at_s = min(gone_at_s, patience.waited_s)
            if patience.waited_s - gone_at_s > _GRACE_S:
                raise RanksMissingError(place, patience.waited_s, gone)
        patience.pause()
