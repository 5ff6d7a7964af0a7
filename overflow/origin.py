"""Where a nan or inf began, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .op_record import Kind, Phase
    from .source_lines import Location
    from .stats import TensorStats

FirstBad = Literal["loss", "activation", "gradient", "weight"]
Source = Literal["operator", "input", "weight", "buffer", "outside", "uninitialised"]


@dataclass(frozen=True)
class OperatorSite:
    """One operator call that wrote nan or inf.

    Attributes:
        operator: The name people use, e.g. `div`.
        overload: The full name, e.g. `aten.div.Tensor`.
        phase: Whether it ran in the forward or in the backward.
        module: Qualified name of the module whose forward called it (for a backward operator: whose
            forward made its node); empty for the model itself and outside the model.
        module_class: Class of that module; empty outside the model.
        kind: The worst that it wrote.
        input_names: Names of the tensors that it read, as in the operator's schema.
        inputs: Their numbers, in the same order.
        output: Numbers of what it wrote.
        rows: Up to ten rows of the batch (from 0) that are concerned; empty where the output's
            first dimension is not the batch.
        num_rows: How many rows are concerned.
        row_labels: For each of `rows` the label that the caller gave, e.g. a dataset index.
        positions: Up to ten positions of non-finite elements in the output, or in the input that
            was non-finite already.
        node: Name of the autograd node of a backward operator, e.g. `DivBackward0`.
        location: Innermost line outside torch; of the forward for a backward operator.
        user_location: Innermost line outside site-packages, likewise.
    """

    operator: str
    overload: str
    phase: Phase
    module: str
    module_class: str
    kind: Kind
    input_names: tuple[str, ...]
    inputs: tuple[TensorStats, ...]
    output: TensorStats | None
    rows: tuple[int, ...]
    num_rows: int
    row_labels: tuple[str, ...]
    positions: tuple[tuple[int, ...], ...]
    node: str
    location: Location | None
    user_location: Location | None


@dataclass(frozen=True)
class Origin(OperatorSite):
    """The operator whose inputs were finite and whose output was not.

    Attributes:
        source: What made the first non-finite value: the operator itself, or, where it read one
            that was there before, an `input` of the model, a `weight`, a `buffer`, a tensor from
            `outside` (labels, constants), or `uninitialised` memory.
        source_name: Name of that input, weight or buffer, e.g. `input[0]`.
        dtype_limit: Largest finite number of the output's dtype, e.g. 65504.0 for float16.
        float64_abs_max: Largest magnitude that the result would have had in float64, where it is
            finite there.
        reason: Why the result is not finite, as a clause.
        became_nan_in: The later operator in which an inf or -inf turned into nan.
        masked_by: The operator that put the -inf of a mask there, if all began with one: then the
            origin is where it became something else.
        first_bad: Which went bad first.
        parameters: Names of the parameters whose gradient (or, if `first_bad` is `weight`, whose
            value) is not finite.
        is_swallowed: The inf did not arrive anywhere, but a module's output is wrong because of it.
        swallowed_in: Qualified name of that module, or `loss`.
        became: The element of that module's output that is furthest from the truth.
        should_be: The same element as float64 gives it.
        num_wrong: How many elements of that output are wrong.
        num_elements: How many it has.
        num_not_recomputed: Operators whose float64 value could not be had, so that a swallowed
            overflow behind them would go unseen.
    """

    source: Source
    source_name: str
    dtype_limit: float | None
    float64_abs_max: float | None
    reason: str
    became_nan_in: OperatorSite | None
    first_bad: FirstBad
    parameters: tuple[str, ...]
    is_swallowed: bool
    swallowed_in: str
    num_not_recomputed: int
    became: float | None = None
    should_be: float | None = None
    num_wrong: int = 0
    num_elements: int = 0
    masked_by: OperatorSite | None = None

    @property
    def forward_location(self) -> Location | None:
        """The forward line of a backward operator; None for a forward operator."""
        return self.location if self.phase == "backward" else None

    def summary(self) -> str:
        """Say in plain English what happened, where, and why."""
        from .origin_text import summarize  # noqa: PLC0415 - text is made at the edge

        return summarize(self)
