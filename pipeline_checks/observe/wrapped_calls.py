"""Have the ranks agree before DistributedDataParallel exchanges what the user's code never sees."""

from __future__ import annotations

import functools
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch
from torch.nn.parallel import DistributedDataParallel

from ..facts.distributed import RankCall
from .collectives import ranks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .collectives import Meeting
    from .user_code import UserCode

NAME = "DistributedDataParallel"
BUFFERS = "_sync_buffers"  # not public; where it has another name nothing is asked


@contextmanager
def guarded_wrappers(meeting: Meeting, code: UserCode) -> Iterator[None]:
    """Meet before a model is wrapped, sends its buffers, or averages gradients in backward.

    All three are collectives in C++, which wait without a word for a rank that does not come. A
    model in a Join context is let alone: there ranks may end at different times.

    Args:
        meeting: Where the ranks meet.
        code: Which code is the user's.
    """
    guard = _WrapperGuard(meeting, code)
    with ExitStack() as stack:
        for owner, name, make in (
            (DistributedDataParallel, "__init__", guard.of_making),
            (DistributedDataParallel, BUFFERS, guard.of_buffers),
            (DistributedDataParallel, "forward", guard.of_forward),
            (torch.autograd, "backward", guard.of_backward),
        ):
            if hasattr(owner, name):
                stack.enter_context(patch.object(owner, name, make(getattr(owner, name))))
        yield


class _WrapperGuard:
    """Makes the functions that meet first."""

    def __init__(self, meeting: Meeting, code: UserCode) -> None:
        self._meeting, self._code = meeting, code
        self._pending: set[tuple[int, ...]] = set()  # groups that the next backward averages over

    def _meet(self, operation: str, ranks: tuple[int, ...]) -> None:
        place = self._code.caller()
        call = RankCall(self._meeting.rank, operation, str(place or ""), place, group=ranks)
        self._meeting.meet(call)

    def of_making(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Meet before a model is wrapped, which sends rank 0's parameters to all."""

        @functools.wraps(original)
        def guarded(wrapper: Any, *args: Any, **kwargs: Any) -> Any:
            ranks = ranks_of(kwargs.get("process_group"))
            if ranks is not None and kwargs.get("device_mesh") is None:
                self._meet(f"{NAME}(...)", ranks)
            return original(wrapper, *args, **kwargs)

        return guarded

    def of_buffers(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Meet before rank 0's buffers are sent to all, which `no_grad` does not prevent."""

        @functools.wraps(original)
        def guarded(wrapper: Any, *args: Any, **kwargs: Any) -> Any:
            if not _is_joining(wrapper):
                self._meet(f"{NAME}'s forward, which sends buffers", _ranks_of(wrapper))
            return original(wrapper, *args, **kwargs)

        return guarded

    def of_forward(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Note that the backward that follows averages gradients."""

        @functools.wraps(original)
        def guarded(wrapper: Any, *args: Any, **kwargs: Any) -> Any:
            output = original(wrapper, *args, **kwargs)
            is_averaging = wrapper.require_backward_grad_sync and not _is_joining(wrapper)
            if torch.is_grad_enabled() and is_averaging:
                self._pending.add(_ranks_of(wrapper))
            return output

        return guarded

    def of_backward(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Meet before gradients are averaged."""

        @functools.wraps(original)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            pending, self._pending = sorted(self._pending), set()
            for ranks in pending:
                self._meet(f"{NAME}'s backward", ranks)
            return original(*args, **kwargs)

        return guarded


def _ranks_of(wrapper: Any) -> tuple[int, ...]:
    return ranks_of(wrapper.process_group) or ()


def _is_joining(wrapper: Any) -> bool:
    return bool(getattr(getattr(wrapper, "_join_config", None), "enable", False))
