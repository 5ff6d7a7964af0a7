"""What evaluating a few batches, and the user's own evaluation, showed."""

from dataclasses import dataclass, field

from ..report import Location
from .batches import LeafFact
from .exceptions import ExceptionFact


@dataclass(frozen=True)
class EvaluationFailure:
    """What evaluating one batch raised.

    Attributes:
        section: `loader` (the loader could not be had), `dataset` (a sample could not be read),
            `collate`, `forward`, or `hook` (what Lightning calls before the first batch).
        error: The exception.
        batch: Number of the batch.
        indices: The samples in it, () where unknown.
        inputs: The values in the batch, () where there was none yet.
    """

    section: str
    error: ExceptionFact
    batch: int = 0
    indices: tuple[int, ...] = ()
    inputs: tuple[LeafFact, ...] = ()


@dataclass(frozen=True)
class MetricsCall:
    """One call of `compute_metrics`.

    Attributes:
        given: What it was given: `predictions`, as training would give it; else a variation, made
            to find out what it expects: `first` (the first array of a tuple), `ids` (the argmax
            over the last dimension), `first_ids` (both), `without_ignored` (another id where -100
            stood), `right_logits` and `right_ids` (what a model without a fault would predict).
        error: What it raised.
        returned: The class name of what it returned, "" if it raised.
        is_mapping: Whether that is a dict.
        values: The metrics that are single numbers, by name.
        names: The names of all metrics.
        are_names_fixed: Whether these stand in the function, so that no other samples give others.
    """

    given: str
    error: ExceptionFact | None = None
    returned: str = ""
    is_mapping: bool = True
    values: dict[str, float] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    are_names_fixed: bool = False


@dataclass(frozen=True)
class OwnEvaluation:
    """One call of the user's own `evaluate(model, dataset)`.

    Attributes:
        num_samples: The length of the dataset that it was given, None where that is unknown.
        returned: The class name of what it returned, "" if it raised.
        num_predictions: How many predictions it returned, None where it returned no predictions.
        values: The predictions as numbers, row after row; () where they are too many.
        metrics: Where it returned numbers instead of predictions: these, by name.
        error: What it raised.
        location: Where `evaluate` is defined.
        is_part: True where it was given a part of the dataset, because all would take too long.
        is_repeatable: Whether a second call gave the same values; None where it was called once.
        samples: The samples that it read in this process, in order; () where that was not seen.
        model_state: A digest of the parameters and buffers with which it was called.
    """

    num_samples: int | None = None
    returned: str = ""
    num_predictions: int | None = None
    values: tuple[float, ...] = ()
    metrics: dict[str, float] = field(default_factory=dict)
    error: ExceptionFact | None = None
    location: Location | None = None
    is_part: bool = False
    is_repeatable: bool | None = None
    samples: tuple[int, ...] = ()
    model_state: str = ""


@dataclass(frozen=True)
class EvaluationFacts:
    """What evaluating a few batches showed; of several evaluation sets, the first is this.

    Attributes:
        source: Where the samples are from: `eval_dataset`, or `dataset` where there is none.
        has_own_loader: Whether the loader is the user's (a Trainer's), not one that tdebug made.
        num_batches: Batches evaluated.
        num_samples: Samples in them.
        num_total: Samples in all, None where that is unknown.
        is_put_together: Whether what the batches gave was put together, as for a metric.
        container: What holds the predictions: `ndarray`, `tuple`, `list`, `dict`.
        predictions: The arrays that `compute_metrics` was given as predictions.
        labels: The arrays that it was given as labels.
        num_bad_predictions: Predictions that are nan or inf.
        loss: The mean loss, None without one.
        failure: The first batch that could not be evaluated.
        was_opened: Whether `compute_metrics` looked into the tuple of predictions; None where
            that is no tuple.
        metrics: The calls of `compute_metrics`; the first is the one that training would make.
        metrics_location: Where `compute_metrics` is defined.
        own: The user's own evaluation.
        more: The other evaluation sets.
    """

    source: str = ""
    has_own_loader: bool = False
    num_batches: int = 0
    num_samples: int = 0
    num_total: int | None = None
    is_put_together: bool = False
    container: str = ""
    predictions: tuple[LeafFact, ...] = ()
    labels: tuple[LeafFact, ...] = ()
    num_bad_predictions: int = 0
    loss: float | None = None
    failure: EvaluationFailure | None = None
    was_opened: bool | None = None
    metrics: tuple[MetricsCall, ...] = ()
    metrics_location: Location | None = None
    own: OwnEvaluation | None = None
    more: tuple["EvaluationFacts", ...] = ()

    @property
    def sets(self) -> tuple["EvaluationFacts", ...]:
        """All evaluation sets."""
        return (self, *self.more)

    @property
    def is_complete(self) -> bool:
        """Whether every sample was evaluated, so that no metric suffers from too few."""
        return self.num_total is not None and self.num_samples >= self.num_total

    @property
    def call(self) -> MetricsCall | None:
        """The call of `compute_metrics` that training would make."""
        return self.metrics[0] if self.metrics else None

    def call_with(self, given: str) -> MetricsCall | None:
        """The call with a variation, None where it was not made."""
        return next((call for call in self.metrics if call.given == given), None)
