"""Two traces side by side, and the first value where they part."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .trace_rounding import Rounding, has_stepped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .frames import Frame, Row
    from .stats import TensorStats

_Key = tuple["int | None", str, int, str]
_Rows = dict[_Key, tuple["Frame", "Row"]]


@dataclass(frozen=True)
class RowDifference:
    """One value that is not the same in both traces.

    Attributes:
        batch_number: The batch.
        module: Qualified name of the module.
        module_class: Class of the module.
        context: Name of the value in its frame.
        first: Numbers in the first trace, None if it has none there.
        second: Numbers in the second trace, None if it has none there.
        relative: Difference of the largest magnitudes over the larger one, for a weight after a
            step over the largest of its module's; inf where only one is finite or there at all.
        allowed: What the coarsest dtype until then allows after so many modules.
    """

    batch_number: int | None
    module: str
    module_class: str
    context: str
    first: TensorStats | None
    second: TensorStats | None
    relative: float
    allowed: float


@dataclass(frozen=True)
class TraceDiff:
    """What differs between two traces.

    Attributes:
        differences: The values that differ, in the order of the first trace.
        num_compared: How many values both have.
        only_first: Modules that only the first trace has.
        only_second: Modules that only the second trace has.
    """

    differences: tuple[RowDifference, ...]
    num_compared: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    @property
    def first(self) -> RowDifference | None:
        """The first value where the traces part, None if they do not."""
        return self.differences[0] if self.differences else None


def diff_traces(
    first: Iterable[Frame], second: Iterable[Frame], tolerance: float | None = None
) -> TraceDiff:
    """Compare two traces value by value.

    Values are matched by batch, module, how often the module was called before in that batch, and
    name. Compared are the largest magnitudes and whether both are finite; the smallest magnitudes
    are not, they are rounding in most tensors.

    Args:
        first: Frames of one trace.
        second: Frames of the other.
        tolerance: Relative difference that is allowed; None for what fits the dtypes. A weight of
            batch 0, which nothing has stepped, may differ by 1 eps of the coarser of its dtypes.
            Any other value may by 2 eps of float16 or bfloat16, or 16 of float32 or float64, times
            the root of how many modules ran before it: of the coarsest dtype that either trace held
            up to that value, whose rounding goes with whatever is made of it. Where a trace lacks
            the first frames of its batches, the coarsest of all counts. TF32 keeps 10 bits of
            float32's 23 and shows in no trace: with it give 0.01.
    """
    left, right = _index(first), _index(second)
    rounding = Rounding(left.values(), right.values())
    differences, num_compared = [], 0
    for key, (frame, row) in left.items():
        if key not in right:
            continue
        num_compared += 1
        other = right[key][1]
        allowed = rounding.allowed(frame, row, other) if tolerance is None else tolerance
        found = _compare(frame, row, other, allowed)
        if found is not None:
            differences.append(found)
    return TraceDiff(tuple(differences), num_compared, _only(left, right), _only(right, left))


def _index(frames: Iterable[Frame]) -> _Rows:
    calls: Counter[tuple[int | None, str]] = Counter()
    found: _Rows = {}
    for frame in frames:
        place = (frame.batch_number, frame.module)
        for row in frame.rows:
            found[(*place, calls[place], row.context)] = (frame, row)
        calls[place] += 1
    return found


def _only(
    these: dict[_Key, tuple[Frame, Row]], others: dict[_Key, tuple[Frame, Row]]
) -> tuple[str, ...]:
    known = {key[1] for key in others}
    return tuple(dict.fromkeys(key[1] for key in these if key[1] not in known))


def _compare(frame: Frame, a: Row, b: Row, allowed: float) -> RowDifference | None:
    # The gradient of some biases is 0 (a key's, one before a batch norm): steps made of nothing but
    # rounding are small beside the module's other weights.
    beside = _largest_weight(frame) if a.kind == "weight" and has_stepped(frame) else 0.0
    relative = _relative_difference(a.stats, b.stats, beside)
    if relative <= allowed:
        return None
    return RowDifference(
        frame.batch_number,
        frame.module,
        frame.module_class,
        a.context,
        a.stats,
        b.stats,
        relative,
        allowed,
    )


def _largest_weight(frame: Frame) -> float:
    weights = [row.stats for row in frame.rows if row.kind == "weight" and row.stats is not None]
    return max((stats.finite_abs_max for stats in weights), default=0.0)


def _relative_difference(
    a: TensorStats | None, b: TensorStats | None, beside: float = 0.0
) -> float:
    if a is None or b is None:
        return 0.0 if a is b else float("inf")
    if not (a.is_finite and b.is_finite):
        same = (a.nan_count > 0, a.inf_count > 0) == (b.nan_count > 0, b.inf_count > 0)
        return 0.0 if same else float("inf")
    scale = max(a.abs_max, b.abs_max, beside)
    return abs(a.abs_max - b.abs_max) / scale if scale else 0.0
