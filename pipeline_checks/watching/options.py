"""What `tdebug overflow`, `trace` and `diff` ask of the worker, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# What the worker runs. Named here, so that the parent need not import torch to name them.
WATCH_SOURCE = "tdebug.pipeline_checks.watching.run:run_watched"
RANK_SOURCE = "tdebug.pipeline_checks.watching.run_rank:run_watched_rank"
_JOINED = "tdebug.pipeline_checks.watching.run_joined_rank"
JOINED_SOURCE = f"{_JOINED}:run_joined_rank"
LEAVE_SOURCE = f"{_JOINED}:leave_death"
COLLECT_SOURCE = f"{_JOINED}:collect_ranks"
DIFF_SOURCE = "tdebug.pipeline_checks.watching.compare:run_diff"


@dataclass(frozen=True)
class WatchOptions:
    """How a training is watched.

    Attributes:
        max_batches: Batches after which it ends, None for no limit.
        epochs: Passes over the data.
        max_frames: Frames that a detection shows.
        batches: Batches to trace, counted from 0; () is detection alone.
        abort_after: Batch after whose step it ends, None for no such limit.
        modules: Only modules whose name matches one of these patterns are traced; () for all.
    """

    max_batches: int | None = None
    epochs: int = 1
    max_frames: int = 21
    batches: tuple[int, ...] = ()
    abort_after: int | None = None
    modules: tuple[str, ...] = ()

    @property
    def num_batches(self) -> int | None:
        """How many batches are run at most, None for no limit."""
        after = None if self.abort_after is None else self.abort_after + 1
        return min(
            (limit for limit in (self.max_batches, after) if limit is not None), default=None
        )

    def to_json(self) -> dict[str, Any]:
        """JSON data that `from_json` reads back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WatchOptions:
        """The options that `to_json` wrote."""
        lists = {"batches": tuple(data["batches"]), "modules": tuple(data["modules"])}
        return cls(**{**data, **lists})
