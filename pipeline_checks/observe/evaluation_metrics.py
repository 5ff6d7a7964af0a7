"""Call the user's `compute_metrics`; where that goes wrong, find out what it expects."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...gather import EvalPrediction
from ..facts.evaluation import MetricsCall
from .exceptions import exception_fact
from .written_names import stand_in_code

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..session import Session

MOST_METRICS = 50


class WatchedTuple(tuple):  # type: ignore[type-arg] # noqa: SLOT001 - holds what the model gave, and was_opened
    """A tuple that knows whether it was looked into.

    Code that takes it for one array (`np.argmax(predictions)`) reads it in C, and so leaves no
    trace here; code that knows better unpacks or indexes it.
    """

    was_opened = False

    def __iter__(self) -> Any:
        self.was_opened = True
        return super().__iter__()

    def __getitem__(self, index: Any) -> Any:
        self.was_opened = True
        return super().__getitem__(index)


@dataclass
class MetricsObserver:
    """Calls `compute_metrics` with what training would give it, then with variations.

    Attributes:
        session: What all stages share.
        function: The user's `compute_metrics`.
        make: Makes the object that it is given, of predictions and labels.
        was_opened: Whether the tuple of predictions was looked into, None where there is none.
    """

    session: Session
    function: Callable[..., Any]
    make: Callable[[Any, Any], Any] = EvalPrediction
    was_opened: bool | None = None

    def calls(self, predictions: Any, labels: Any, pad_id: int | None) -> tuple[MetricsCall, ...]:
        """The call that training makes, and those that tell more about it."""
        watched = WatchedTuple(predictions) if type(predictions) is tuple else predictions
        first = self._call("predictions", watched, labels)
        from .evaluation_variations import variations_of  # noqa: PLC0415 - numpy, which is there by now

        if isinstance(watched, WatchedTuple):
            self.was_opened = watched.was_opened
        wanted = self._wanted(first)
        variations = variations_of(predictions, labels, pad_id)
        others = [
            self._call(name, *variations[name](), is_trial=True)
            for name in wanted
            if name in variations
        ]
        return (first, *others)

    def _wanted(self, first: MetricsCall) -> tuple[str, ...]:
        """Which variations may tell more; none where all is well."""
        if first.error is not None:
            return ("first", "ids", "first_ids", "without_ignored", "first_without_ignored")
        numbers = first.values.values()
        if self.was_opened is False:
            return ("first", "first_ids")
        if any(not math.isfinite(value) for value in numbers) or (
            numbers and all(value == 0 for value in numbers)
        ):
            return ("right_logits", "right_ids")
        return ()

    def _call(
        self, given: str, predictions: Any, labels: Any, *, is_trial: bool = False
    ) -> MetricsCall:
        argument = self.make(predictions, labels)
        if is_trial:
            try:
                found = self.function(argument)
            except self.session.caught as error:
                # Not `session.fact`: an experiment of ours is nothing to stop in the debugger for.
                return MetricsCall(given, error=exception_fact(error, self.session.code))
        else:
            found, error_fact = self.session.attempt(lambda: self.function(argument))
            if error_fact is not None:
                return MetricsCall(given, error=error_fact)
        is_mapping = isinstance(found, Mapping)
        names = tuple(str(name) for name in found) if is_mapping else ()
        return MetricsCall(
            given,
            returned=type(found).__name__,
            is_mapping=is_mapping,
            values=single_numbers(found) if is_mapping else {},
            names=names,
            are_names_fixed=stand_in_code(names, self.function),
        )


def single_numbers(metrics: Mapping[Any, Any]) -> dict[str, float]:
    """The entries that are one number, by name."""
    found: dict[str, float] = {}
    for name, value in list(metrics.items())[:MOST_METRICS]:
        number = as_number(value)
        if number is not None:
            found[str(name)] = number
    return found


def as_number(value: Any) -> float | None:
    """The value as a number; None for texts, lists, arrays of several."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    numpy, torch = sys.modules.get("numpy"), sys.modules["torch"]
    is_scalar = numpy is not None and isinstance(value, (numpy.number, numpy.bool_))
    is_array = isinstance(value, torch.Tensor) or (
        numpy is not None and isinstance(value, numpy.ndarray)
    )
    if not is_scalar and not (is_array and not value.shape):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
