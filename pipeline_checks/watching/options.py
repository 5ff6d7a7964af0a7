"""What `tdebug overflow`, `trace` and `diff` ask of the worker, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


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
        max_grad_norm: Norm to which all gradients are clipped; 0 does not clip.
    """

    max_batches: int | None = None
    epochs: int = 1
    max_frames: int = 21
    batches: tuple[int, ...] = ()
    abort_after: int | None = None
    modules: tuple[str, ...] = ()
    max_grad_norm: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """JSON data that `from_json` reads back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WatchOptions:
        """The options that `to_json` wrote."""
        lists = {"batches": tuple(data["batches"]), "modules": tuple(data["modules"])}
        return cls(**{**data, **lists})
