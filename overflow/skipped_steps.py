"""Steps that a GradScaler skips: expected while it finds its scale, a fault when they go on."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    import torch
    from typing_extensions import Self

# Below this scale it is no longer the scale that makes gradients overflow: the loss is not even
# multiplied. From the default 65536, halved at each skip, it takes 17 skips in a row.
SMALLEST_USEFUL_SCALE = 1.0

# A scaler in order skips once in its growth interval (2000 by default), after its first search.
RECENT_UPDATES = 50


@dataclass(frozen=True)
class SkipCounts:
    """What a scaler has done so far.

    Attributes:
        num_updates: Calls of `update`.
        num_skipped: How many of them followed a skipped step.
        num_consecutive: Skips in a row, up to the last update.
        num_recent: Skips among the last 50 updates, those of the first search left out.
        scale: The scale after the last update.
    """

    num_updates: int
    num_skipped: int
    num_consecutive: int
    num_recent: int
    scale: float

    @property
    def is_stuck(self) -> bool:
        """Whether steps are skipped again and again."""
        fell = self.num_consecutive > 1 and self.scale < SMALLEST_USEFUL_SCALE
        return fell or self.num_recent > RECENT_UPDATES // 2

    def describe(self) -> str:
        """Say how many steps were skipped and what that means."""
        if self.num_consecutive > 1 and self.scale < SMALLEST_USEFUL_SCALE:
            return (
                f"the GradScaler skipped {self.num_consecutive} steps in a row and its scale fell "
                f"to {self.scale:g}: the gradients are not finite at any scale"
            )
        return (
            f"the GradScaler skipped {self.num_skipped} of {self.num_updates} steps, "
            f"{self.num_consecutive} in a row; its scale is {self.scale:g}"
        )


class SkippedSteps:
    """Counts the steps that a GradScaler skips, by the fall of its scale at each update.

    A skipped step calls no optimizer hook, so the scaler is the only one to know. Costs one read of
    the scale an update.

    Args:
        scaler: A `torch.amp.GradScaler`; its `update` is wrapped until `detach`.
        on_stuck: Called at the end of an update after which steps are skipped again and again.
    """

    def __init__(
        self,
        scaler: torch.amp.GradScaler,
        on_stuck: Callable[[SkipCounts], None] | None = None,
    ) -> None:
        self._scaler = scaler
        self._on_stuck = on_stuck
        self._scale = float(scaler.get_scale())
        self._skips: deque[bool] = deque(maxlen=RECENT_UPDATES)
        self._num_updates = self._num_skipped = self._num_consecutive = 0
        self._update = scaler.update
        scaler.update = self._wrapped_update  # type: ignore[method-assign] # taken back by detach

    @property
    def counts(self) -> SkipCounts:
        """What was counted so far."""
        return SkipCounts(
            self._num_updates,
            self._num_skipped,
            self._num_consecutive,
            sum(self._skips),
            self._scale,
        )

    def detach(self) -> None:
        """Give the scaler its own `update` back."""
        self._scaler.__dict__.pop("update", None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.detach()

    def _wrapped_update(self, new_scale: Any = None) -> None:
        self._update(new_scale)
        scale = float(self._scaler.get_scale())
        if new_scale is None:
            self._count(is_skip=scale < self._scale or scale == 0)
        self._scale = scale
        if self._on_stuck is not None and self.counts.is_stuck:
            self._on_stuck(self.counts)

    def _count(self, *, is_skip: bool) -> None:
        is_first_search = self._num_skipped == self._num_updates
        self._num_updates += 1
        self._num_skipped += is_skip
        self._num_consecutive = self._num_consecutive + 1 if is_skip else 0
        if not (is_skip and is_first_search):
            self._skips.append(is_skip)
