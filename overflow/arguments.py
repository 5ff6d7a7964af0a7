"""What the user passed, checked with sentences that repeat it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable


def check_count(name: str, value: object, least: int = 0) -> int:
    """Give a whole number back.

    Raises:
        TypeError: It is no whole number.
        ValueError: It is below `least`.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} takes a whole number, not {value!r}.")
    if value < least:
        raise ValueError(f"{name} is {value}; it has to be at least {least}.")
    return value


def as_container(numbers: Container[int] | Iterable[int] | None) -> Container[int]:
    """Take the batches to trace in any form that can be asked `n in numbers`.

    Raises:
        TypeError: It is a single number, or neither a container nor an iterable.
    """
    if numbers is None:
        return ()
    if isinstance(numbers, (str, bytes)) or not hasattr(numbers, "__contains__"):
        raise TypeError(
            "trace_batch_nums takes a list, range or set of batch numbers, "
            f"not {numbers!r}; for a single batch write [{numbers}]."
        )
    return numbers  # type: ignore[return-value] # it has __contains__
