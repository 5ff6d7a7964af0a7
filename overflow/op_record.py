"""What is kept of an operator whose output was not finite."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from .source_lines import NOWHERE, Locations

if TYPE_CHECKING:
    from .operators import Operator
    from .stats import TensorStats

Kind = Literal["nan", "inf", "-inf"]
Phase = Literal["forward", "backward"]

MAX_ROWS = 10


@dataclass(frozen=True)
class Site:
    """Where in the model and in the source something was called."""

    module: str = ""
    module_class: str = ""
    locations: Locations = NOWHERE


@dataclass(frozen=True)
class External:
    """A tensor that no recorded operator wrote: it came from outside, or nobody wrote it at all."""

    what: Literal["input", "weight", "buffer", "outside", "uninitialised"]
    name: str = ""


@dataclass
class Operand:
    """One tensor that an operator read.

    Attributes:
        name: The argument's name in the operator's schema.
        low: Smallest value, nan if any element is.
        high: Largest value, nan if any element is.
        num_elements: Number of elements.
        source: What wrote it; None if it was finite, and so of no interest.
        stats: Its numbers, where the record is a root or the place where a nan came up.
    """

    name: str
    low: float
    high: float
    num_elements: int
    source: OpRecord | External | None = None
    stats: TensorStats | None = None

    @property
    def is_bad(self) -> bool:
        """Whether it held nan or inf."""
        return not (math.isfinite(self.low) and math.isfinite(self.high))

    @property
    def has_nan(self) -> bool:
        """Whether it held nan."""
        return math.isnan(self.low)


@dataclass
class OpRecord:
    """One call of an operator with a non-finite output.

    `because` is what its arguments say of the reason, where it is a beginning.
    """

    index: int
    operator: Operator
    phase: Phase
    site: Site
    kind: Kind
    operands: list[Operand]
    output: TensorStats | None = None
    rows: tuple[int, ...] = ()
    num_rows: int = 0
    positions: tuple[tuple[int, ...], ...] = ()
    node: str = ""
    float64_abs_max: float | None = None
    constant_output: bool = False
    because: str = ""

    @property
    def bad_operands(self) -> list[Operand]:
        """The operands that held nan or inf, literals left out."""
        return [o for o in self.operands if o.is_bad and not is_literal(o)]

    @property
    def makes_nan(self) -> bool:
        """Whether a nan came up here: one in the output and none in what was read."""
        return self.kind == "nan" and not any(o.has_nan for o in self.operands)

    @property
    def lets_mask_out(self) -> bool:
        """Whether the -inf of a mask becomes something else here: nan, inf, or a whole row's."""
        bad = self.bad_operands
        if not bad or any(o.has_nan or o.high == math.inf for o in bad):
            return False
        return self.kind != "-inf" or self.operator.is_reduction

    @property
    def is_mask(self) -> bool:
        """Whether it writes -inf as a mask does, and not by a logarithm of zero."""
        return self.kind == "-inf" and self.is_deliberate and "log" not in self.operator.name

    @property
    def is_deliberate(self) -> bool:
        """Whether the infinity was put there on purpose, as a mask is."""
        if self.operator.is_fill:
            return not self.bad_operands
        is_computed_mask = self.constant_output and not self.operator.is_product
        return self.kind == "-inf" and (is_computed_mask or self._reads_dtype_minimum())

    def _reads_dtype_minimum(self) -> bool:
        return any(o.low in _DTYPE_MINIMA for o in self.operands)


@dataclass(frozen=True)
class BadRows:
    """Which rows along the first dimension hold nan or inf, and where exactly."""

    rows: tuple[int, ...] = ()
    num_rows: int = 0
    positions: tuple[tuple[int, ...], ...] = ()


_DTYPE_MINIMA = frozenset(
    torch.finfo(dtype).min for dtype in (torch.float16, torch.bfloat16, torch.float32)
)


def is_literal(operand: Operand) -> bool:
    """Tell whether an operand is a number that someone wrote down, as in `where(mask, x, -inf)`."""
    source = operand.source
    if operand.num_elements != 1 or source is None:
        return False
    if isinstance(source, External):
        return source.what == "outside"
    return source.operator.is_fill


def classify(low: float, high: float) -> Kind:
    """Name the worst value of a signed range that is not finite.

    Example:
        >>> classify(-1.0, float("inf")), classify(float("-inf"), 0.0)
        ('inf', '-inf')
    """
    if math.isnan(low) or math.isnan(high):
        return "nan"
    return "inf" if high == math.inf else "-inf"


def find_bad_rows(tensor: Tensor) -> BadRows:
    """Find up to ten rows along the first dimension, and as many positions, with nan or inf."""
    if tensor.layout is not torch.strided or tensor.dim() == 0:
        return BadRows()
    bad = ~torch.isfinite(tensor)
    rows = bad.reshape(bad.shape[0], -1).any(1).nonzero().flatten()
    positions = bad.nonzero()[:MAX_ROWS].tolist()
    shown = tuple(int(row) for row in rows[:MAX_ROWS])
    return BadRows(shown, len(rows), tuple(tuple(p) for p in positions))
