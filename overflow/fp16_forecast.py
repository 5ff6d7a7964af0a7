"""What would happen in float16 to a run that is in float32 or bfloat16."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .frames import Frame, Row

Verdict = Literal["overflow", "close", "underflow"]

FP16_LARGEST = 65504.0

# Two doublings from the limit: activations of a network that trains grow by more than that.
CLOSE_SHARE = 0.25

# More than half of the values rounded to zero: what is left is no longer the same tensor.
UNDERFLOW_SHARE = 0.5

_WIDER = frozenset({"float32", "bfloat16", "float64"})


@dataclass(frozen=True)
class Fp16Forecast:
    """One value that float16 would not hold well.

    Attributes:
        module: Qualified name of the module.
        module_class: Class of the module.
        context: Name of the value in its frame.
        verdict: `overflow` beyond 65504, `close` beyond a quarter of it, `underflow` where more
            than half of the elements would become zero.
        abs_max: Largest magnitude.
        times_limit: Largest magnitude over 65504.
        zero_share: Share of the elements that would become zero and are not.
    """

    module: str
    module_class: str
    context: str
    verdict: Verdict
    abs_max: float
    times_limit: float
    zero_share: float

    def summary(self) -> str:
        """Say it in words.

        Example:
            >>> Fp16Forecast("wo", "Linear", "output", "overflow", 93e3, 1.42, 0.0).summary()
            "output of 'wo' (Linear) reaches 9.3e+04, 1.42 times the largest float16 (65504)"
        """
        place = f"{self.context} of '{self.module}' ({self.module_class})"
        if self.verdict == "underflow":
            return f"{self.zero_share:.0%} of {place} would be zero in float16"
        return (
            f"{place} reaches {self.abs_max:.2g}, {self.times_limit:.3g} times "
            f"the largest float16 ({FP16_LARGEST:.0f})"
        )


def forecast_fp16(frames: Iterable[Frame]) -> list[Fp16Forecast]:
    """Name the values that float16 would not hold, the worst first.

    Each value of a module is named once, with its worst over all frames. Infinite values and values
    in float16 already are left out: they are findings of their own.

    Args:
        frames: Frames of a run in float32, bfloat16 or float64.
    """
    worst: dict[tuple[str, str], Fp16Forecast] = {}
    for frame in frames:
        for row in frame.rows:
            found = forecast_row(frame, row)
            known = worst.get((frame.module, row.context))
            if found is not None and (known is None or _severity(found) > _severity(known)):
                worst[frame.module, row.context] = found
    return sorted(worst.values(), key=_severity, reverse=True)


def forecast_row(frame: Frame, row: Row) -> Fp16Forecast | None:
    """Judge one value, None if float16 would hold it."""
    stats = row.stats
    if stats is None or stats.dtype not in _WIDER or not stats.is_finite:
        return None
    times = stats.abs_max / FP16_LARGEST
    verdict: Verdict | None = None
    if times > 1:
        verdict = "overflow"
    elif times > CLOSE_SHARE:
        verdict = "close"
    elif stats.fp16_zero_share > UNDERFLOW_SHARE:
        verdict = "underflow"
    if verdict is None:
        return None
    share = stats.fp16_zero_share
    return Fp16Forecast(
        frame.module, frame.module_class, row.context, verdict, stats.abs_max, times, share
    )


def _severity(found: Fp16Forecast) -> tuple[int, float]:
    order = {"overflow": 2, "close": 1, "underflow": 0}
    return order[found.verdict], found.times_limit or found.zero_share
