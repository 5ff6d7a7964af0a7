"""What float16 would not hold, the worst of each value over a whole run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...overflow import forecast_fp16

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...overflow import Fp16Forecast, Frame

ORDER = ("overflow", "close", "underflow")


class Forecasts:
    """Takes frames and keeps for each output and weight of a module the worst forecast alone.

    An input is some other module's output, or the batch's. A weight may be as small as it likes:
    fp16 training keeps it in float32, and a bias that hardly learns is close to zero.
    """

    def __init__(self) -> None:
        self._worst: dict[tuple[str, str], Fp16Forecast] = {}

    def take(self, frames: Iterable[Frame]) -> None:
        """Judge more frames."""
        for found in forecast_fp16(frames):
            is_output = found.context.startswith("output")
            if found.context.startswith("input") or (
                found.verdict == "underflow" and not is_output
            ):
                continue
            key = (found.module, found.context)
            known = self._worst.get(key)
            if known is None or _rank(found) < _rank(known):
                self._worst[key] = found

    def worst_first(self) -> list[Fp16Forecast]:
        """All that were kept; a tensor that a parent hands on as its own is named once."""
        different = {_rank(found): found for found in reversed(self._worst.values())}
        return [different[rank] for rank in sorted(different)]


def _rank(found: Fp16Forecast) -> tuple[int, float, float]:
    return ORDER.index(found.verdict), -found.times_limit, -found.zero_share


def is_sampled(number: int) -> bool:
    """Whether a batch under detection is measured for the forecast: 0, 1, 2, 4, 8 and so on.

    All of a run's growth is seen so, at a cost that vanishes as it goes on.

    >>> [number for number in range(20) if is_sampled(number)]
    [0, 1, 2, 4, 8, 16]
    """
    return number & (number - 1) == 0
