"""A barrier that says who did not come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .current_roll_call import get_roll_call
from .meeting import DEFAULT_TIMEOUT_S
from .process_group import has_process_group

if TYPE_CHECKING:
    import torch.distributed as dist


def named_barrier(
    place: str = "barrier",
    *,
    group: dist.ProcessGroup | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
) -> None:
    """Wait until every rank is here, and say which ones are not, and why.

    A rank is known from its first call on. What is to be named whenever it dies calls
    `get_roll_call()` (or this) at the start. Without a process group there is nobody to wait for.

    Args:
        place: What this barrier is called in errors; the same on every rank.
        group: The process group; by default the one of all ranks.
        timeout_s: How long to wait for ranks that live.

    Raises:
        RanksMissingError: A rank is dead, failed or gone, or silent past the limit.
        RanksDisagreeError: A rank is at another place.
    """
    if has_process_group():
        get_roll_call(group).barrier(place, timeout_s=timeout_s)
