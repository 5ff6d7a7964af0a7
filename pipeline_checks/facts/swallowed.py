"""An overflow inside the model that a finite output hides."""

from dataclasses import dataclass

from ..report import Location
from .numerics import OriginFact


@dataclass(frozen=True)
class SwallowedOverflowFact:
    """The operator that overflowed and what came of it.

    Attributes:
        origin: The operator, its numbers, its place.
        num_overflowed: How many elements of its result are inf or nan.
        num_results: How many elements its result has.
        wrong_in: Qualified name of the module whose output is finite and wrong, "" for the model
            itself, "loss" for the loss.
        num_wrong: How many elements of that output are wrong.
        num_elements: How many it has.
        became: The element of it that is furthest from the truth.
        should_be: The same element as float64 gives it.
        inner: The innermost line outside torch, where the user's line only leads there.
    """

    origin: OriginFact
    num_overflowed: int
    num_results: int
    wrong_in: str
    num_wrong: int
    num_elements: int
    became: float
    should_be: float
    inner: Location | None = None


@dataclass(frozen=True)
class SwallowedFacts:
    """Whether an overflow was swallowed in the first batch's forward.

    Attributes:
        found: The first one, None without any.
        not_looked_because: Why it was not looked for, though values may be beyond the range of
            their dtype; "" if it was, or there was no sign of any.
    """

    found: SwallowedOverflowFact | None = None
    not_looked_because: str = ""
