"""When something recurs: never, every few steps, or every epoch."""

from __future__ import annotations

from enum import Enum


class IntervalStrategy(str, Enum):
    """Say when the loop logs, evaluates or saves; a member equals its text.

    Raises:
        ValueError: `IntervalStrategy("Epoch")`: the text is not one of `no`, `steps`, `epoch`.

    >>> IntervalStrategy("steps") is IntervalStrategy.STEPS == "steps"
    True
    """

    NO = "no"
    STEPS = "steps"
    EPOCH = "epoch"

    @classmethod
    def _missing_(cls, value: object) -> None:
        allowed = [member.value for member in cls]
        near = str(value).strip().lower()
        hint = f" (did you mean {near!r}?)" if near in allowed else ""
        raise ValueError(
            f"{value} is not a valid {cls.__name__}, please select one of {allowed}{hint}"
        )
