"""What an evaluation hands to `compute_metrics`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(eq=False)
class EvalPrediction:
    """Hold predictions and labels always, inputs and losses where they were asked for.

    It unpacks and indexes as the tuple of what is there: `logits, labels = prediction`.

    Attributes:
        predictions: What the model gave, an array of shape `(samples, ...)` or nested ones.
        label_ids: The targets, an array of shape `(samples, ...)` or nested ones.
        inputs: What the model was given, or None.
        losses: The loss of each sample or batch, or None. Without `inputs` they come third.

    >>> list(EvalPrediction([[0.9, 0.1]], [0], losses=[0.1]))
    [[[0.9, 0.1]], [0], [0.1]]
    """

    predictions: Any
    label_ids: Any
    inputs: Any = None
    losses: Any = None

    @property
    def elements(self) -> tuple[Any, ...]:
        """The parts that are there, as they are now."""
        asked_for = (part for part in (self.inputs, self.losses) if part is not None)
        return (self.predictions, self.label_ids, *asked_for)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.elements)

    def __len__(self) -> int:
        return len(self.elements)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self.elements[index]
