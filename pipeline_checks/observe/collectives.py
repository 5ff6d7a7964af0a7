"""Have the ranks agree before each collective, which would hang or mix up what does not fit."""

from __future__ import annotations

import functools
import inspect
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Protocol
from unittest.mock import patch

import torch
import torch.distributed as dist

from ..facts.distributed import RankCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    "monitored_barrier",
    "new_group",
    "new_subgroups",
    "new_subgroups_by_enumeration",
    "reduce_scatter",
    "scatter",
    "scatter_object_list",
)
# Between two ranks; the keyword that names the other one.
PAIRWISE = {"recv": "src", "send": "dst"}


class Meeting(Protocol):
    """What the guard needs to know of where the ranks meet; see `RankMeeting`.

    Attributes:
        rank: This rank.
        patience_s: How long it waits for ranks that live, in seconds.
    """

    rank: int
    patience_s: float

    def meet(self, call: RankCall) -> object:
        """Tell the others where this rank is; raises where they are not there."""

    def give_up_on(self, other: int, call: RankCall, waited_s: float) -> None:
        """Raise, and say where the other rank is, for which this one has waited in vain."""


@contextmanager
def guarded_collectives(
    meeting: Meeting, code: UserCode, handed: Callable[[torch.Tensor], None]
) -> Iterator[None]:
    """Meet before each collective of all ranks, or of a part of them; raise where they disagree.

    Only what is called by the names in `torch.distributed` is seen. `send` and `recv` may come in
    any order, so nothing is agreed on before them: only a wait as long as patience lasts is told.

    Args:
        meeting: Where the ranks meet.
        code: Which code is the user's.
        handed: Called with each tensor that goes into a collective that averages or copies.
    """
    guards: dict[str, Callable[[str, Any], Any]] = dict.fromkeys(
        (*ALIKE, *ANY_FORM), functools.partial(_guarded, meeting, code, handed)
    )
    guards |= dict.fromkeys(PAIRWISE, functools.partial(_guarded_pair, meeting, code))
    with ExitStack() as stack:
        for name, guard in guards.items():
            if hasattr(dist, name):
                stack.enter_context(patch.object(dist, name, guard(name, getattr(dist, name))))
        yield


def ranks_of(group: Any) -> tuple[int, ...] | None:
    """The ranks of a part of all, () where it is all of them, None where this rank is outside."""
    if group is None or group is dist.group.WORLD:
        return ()
    if group is dist.GroupMember.NON_GROUP_MEMBER:
        return None
    ranks = tuple(dist.get_process_group_ranks(group))
    return () if len(ranks) == dist.get_world_size() else ranks


def _guarded(
    meeting: Meeting,
    code: UserCode,
    handed: Callable[[torch.Tensor], None],
    name: str,
    original: Any,
) -> Any:
    @functools.wraps(original)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        given = _arguments(original, args, kwargs)
        ranks = ranks_of(given.get("group"))
        if ranks is not None and not given.get("use_local_synchronization"):
            place = code.caller()
            array = _array(name, args, kwargs)
            if array is not None:
                handed(array)
            shapes = _shapes(array, given.get("group"))
            meeting.meet(RankCall(meeting.rank, name, str(place or ""), place, shapes, ranks))
        return original(*args, **kwargs)

    return guarded


def _guarded_pair(meeting: Meeting, code: UserCode, name: str, original: Any) -> Any:
    @functools.wraps(original)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        began = time.monotonic()
        try:
            return original(*args, **kwargs)
        except RuntimeError:
            waited_s = time.monotonic() - began
            other = _arguments(original, args, kwargs).get(PAIRWISE[name])
            if waited_s >= meeting.patience_s and isinstance(other, int):
                place = code.caller()
                call = RankCall(meeting.rank, name, f"its {name} ({place or 'no line'})", place)
                meeting.give_up_on(other, call, waited_s)
            raise

    return guarded


def _arguments(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name; those with names alone where they do not fit, which the call tells."""
    try:
        return inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError:
        return kwargs


def _array(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.Tensor | None:
    if name not in ALIKE:
        return None
    position, keyword = ALIKE[name]
    found = args[position] if len(args) > position else kwargs.get(keyword)
    return found if isinstance(found, torch.Tensor) else None


def _shapes(array: torch.Tensor | None, group: Any) -> tuple[str, ...]:
    # NCCL takes some uneven ones.
    if array is None or dist.get_backend(group) == dist.Backend.NCCL:
        return ()
    return (f"{list(array.shape)} {str(array.dtype).removeprefix('torch.')}",)
