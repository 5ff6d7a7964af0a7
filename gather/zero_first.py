"""Let the local main process of every node go first."""

from __future__ import annotations

import os
from contextlib import ContextDecorator
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING

from .current_roll_call import get_roll_call
from .errors import LocalMainFailedError, RanksDisagreeError
from .presence import describe_error
from .process_group import has_process_group

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from typing_extensions import Self

    from .meeting import Meeting
    from .roll_call import RollCall

PLACE = "torch_distributed_zero_first"
LONGEST_BODY_S = 1800.0  # as long as torch's own barrier waits by default

_innermost: ContextVar[_Turn | None] = ContextVar("_innermost", default=None)


class _Turn:
    """One passage of this rank through a body that local mains go through first."""

    def __init__(self, call: RollCall, local_rank: int, timeout_s: float) -> None:
        self.is_main = local_rank == 0
        self._call = call
        self._outer = _innermost.get()
        within = self._outer.meeting.key if self._outer else "zero_first"
        self.meeting: Meeting = call.open_meeting(PLACE, timeout_s=timeout_s, within=within)
        call.post(self.meeting, "local rank", local_rank)

    def find_peers(self) -> Iterable[int]:
        """Give the ranks that can be here now.

        Inside an outer body, while the local mains go through it, these are only they.
        """
        if self._outer is None:
            return self._call.ranks
        return self._outer.find_mains() if self._outer.is_main else self._outer.find_peers()

    def find_mains(self) -> list[int]:
        """Wait until the peers are here, and give those that go first."""
        local_ranks = self._call.wait_for(self.meeting, "local rank", self.find_peers())
        mains = [rank for rank, local_rank in local_ranks.items() if local_rank == 0]
        if not mains:
            words = {rank: f"local rank {local_rank}" for rank, local_rank in local_ranks.items()}
            raise RanksDisagreeError(PLACE, "who goes first: nobody has local rank 0", words)
        return mains

    def wait_for_mains(self) -> None:
        """Wait until the local mains are through, and raise if one of them failed."""
        errors = self._call.wait_for(self.meeting, "error", self.find_mains())
        self._call.settle(self.meeting, self.find_peers())
        if failures := {rank: error for rank, error in errors.items() if error}:
            raise LocalMainFailedError(failures)

    def report(self, error: BaseException | None) -> None:
        """Tell the others how the body of this local main ended."""
        self._call.post(self.meeting, "error", describe_error(error) if error else "")
        if error:
            self._call.settle(self.meeting, self.find_peers())


class torch_distributed_zero_first(ContextDecorator):  # noqa: N801  # the name that is known
    """Let the local main process of every node run the body first, while the others wait.

    A context manager, and a decorator. For what one process should do and all others then find
    done: a download, a cache. `-1`, and no process group, mean that there are no others: the body
    just runs. Bodies can be nested.

    If the body raises on a local main, that process raises its own error, and every process that
    waits, the other local mains too, raises a LocalMainFailedError; so all of them know, nobody
    hangs, and the group stays usable. A local main that dies is named as `named_barrier` does.

    Args:
        local_rank: The rank of this process on its node, 0 on a local main, or -1; by default
            what the environment variable `LOCAL_RANK` says when the body is entered.
        timeout_s: How long to wait for ranks that live.

    Raises:
        LocalMainFailedError: The body raised on a local main.
        RanksMissingError: A rank is dead, failed or gone, or silent past the limit.
        RanksDisagreeError: No rank has local rank 0.
        ValueError: There is a process group, no `local_rank` and no `LOCAL_RANK`.

    >>> with torch_distributed_zero_first(local_rank=-1):
    ...     print("download")
    download
    """

    def __init__(self, local_rank: int | None = None, *, timeout_s: float = LONGEST_BODY_S) -> None:
        self.local_rank = local_rank
        self.timeout_s = timeout_s
        # One for each time that it is entered: it may be entered again inside itself.
        self._turns: list[tuple[_Turn, Token[_Turn | None]] | None] = []

    def _recreate_cm(self) -> Self:
        # contextlib's hook: every call of a decorated function passes through a turn of its own.
        return type(self)(self.local_rank, timeout_s=self.timeout_s)

    def __enter__(self) -> Self:
        local_rank = self._find_local_rank()
        if local_rank < 0:
            self._turns.append(None)
            return self
        turn = _Turn(get_roll_call(), local_rank, self.timeout_s)
        if not turn.is_main:
            turn.wait_for_mains()
        self._turns.append((turn, _innermost.set(turn)))
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        entered = self._turns.pop()
        if entered is None:
            return
        turn, token = entered
        _innermost.reset(token)
        if turn.is_main:
            turn.report(error)
            if error is None:
                turn.wait_for_mains()

    def _find_local_rank(self) -> int:
        if not has_process_group():
            return -1
        if self.local_rank is not None:
            return self.local_rank
        if "LOCAL_RANK" not in os.environ:
            raise ValueError(
                f"{PLACE} needs to know which process of its node this is: give local_rank, or "
                "set the environment variable LOCAL_RANK, as torchrun does."
            )
        return int(os.environ["LOCAL_RANK"])
