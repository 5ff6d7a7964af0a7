"""Where values stopped being finite."""

from dataclasses import dataclass

from ..report import Location, Stage


@dataclass(frozen=True)
class HugeValue:
    """A value of a batch that is out of all proportion.

    Attributes:
        path: Its field.
        value: The value.
        median: The median of the absolute values of its field.
        index: Its sample, None where unknown.
    """

    path: str
    value: float
    median: float
    index: int | None = None


@dataclass(frozen=True)
class OriginFact:
    """The operator at which the first non-finite value of a batch began.

    Attributes:
        stage: Forward or backward.
        batch: Number of the batch.
        operator: `div`, `softmax`.
        module: Qualified name of the module at work, "" for the model itself.
        module_type: Its class name.
        kind: `nan`, `inf` or `-inf`.
        dtype: Dtype of the operator's output.
        limit: Largest finite number of that dtype.
        input_max: Largest absolute value that went in, None without tensor inputs.
        would_be: Value that float32 or float64 would have given, where recomputed.
        rows: Rows of the batch concerned.
        indices: The samples of those rows, () where unknown.
        location: The user's line.
        became_nan_in: Operator in which an infinity turned into nan, "" if none.
        became_nan_module: Its module.
        node: For backward, the autograd node at work: `SqrtBackward0`.
        source: `operator`, or what held the value before: `weight`, `buffer`, `input`, `outside`.
        source_name: The name of that weight, buffer or input.
        reason: Why the operator's result is not finite, as a clause, "" where that is not known.
        masked_by: The operator that wrote the -inf of a mask, where that got out here.
        masked_at: Its line.
        huge: A huge value in the batch, where nothing else says why.
        is_in_model: Whether the operator ran inside the model, and not in the loss around it.
        summary: The same in one sentence.
    """

    stage: Stage
    batch: int
    operator: str
    kind: str
    module: str = ""
    module_type: str = ""
    dtype: str = ""
    limit: float | None = None
    input_max: float | None = None
    would_be: float | None = None
    rows: tuple[int, ...] = ()
    indices: tuple[int, ...] = ()
    location: Location | None = None
    became_nan_in: str = ""
    became_nan_module: str = ""
    node: str = ""
    source: str = "operator"
    source_name: str = ""
    reason: str = ""
    masked_by: str = ""
    masked_at: Location | None = None
    huge: HugeValue | None = None
    is_in_model: bool = True
    summary: str = ""


@dataclass(frozen=True)
class NumericsFacts:
    """What was not finite.

    Attributes:
        origins: One entry for the first bad batch, () where none was bad or none was found.
        bad_losses: Batches whose loss was not finite, with the value.
        not_found_because: Why no origin could be told though something was bad.
    """

    origins: tuple[OriginFact, ...] = ()
    bad_losses: tuple[tuple[int, float], ...] = ()
    not_found_because: str = ""
