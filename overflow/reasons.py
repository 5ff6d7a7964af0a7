"""Why an operator's result is not finite, told from the numbers that it read and wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .op_record import OpRecord
from .stats import largest_finite

if TYPE_CHECKING:
    from .op_record import Operand

_DIVISIONS = ("div", "div_", "true_divide", "reciprocal", "reciprocal_", "rsqrt", "rsqrt_")
_LOGARITHMS = ("log", "log_", "log2", "log10", "log1p")
_ROOTS = ("sqrt", "sqrt_", "rsqrt", "rsqrt_")


def explain_record(record: OpRecord) -> str:
    """Give a clause that says why the output of a root is not finite, empty where it is unknown."""
    if record.because:
        return record.because
    for explain in _EXPLANATIONS:
        clause = explain(record)
        if clause:
            return clause
    return ""


def explain_nan_maker(record: OpRecord) -> str:
    """Give a clause that says how inf turned into nan."""
    if record.because:
        return f"there {record.because}"
    if record.operator.name in {"softmax", "log_softmax", "scaled_dot_product_attention"}:
        return "a row of nothing but -inf (everything masked) has no softmax"
    return ""


def _explain_fill(record: OpRecord) -> str:
    if not record.is_deliberate:
        return ""
    return f"'{record.operator.name}' writes {record.kind} on purpose, as a mask does"


def _explain_zero(record: OpRecord) -> str:
    name = record.operator.name
    if name in _DIVISIONS:
        divisor = record.operands[-1] if record.operands else None
        if divisor is not None and _zeros(divisor):
            what = "0 / 0" if record.kind == "nan" else "a division by zero"
            return f"it is {what}: {_zeros(divisor)} of the divisor"
    if name in _LOGARITHMS and record.operands and _zeros(record.operands[0]):
        return f"it takes the logarithm of zero: {_zeros(record.operands[0])} of its input"
    # In float64 zero to a negative power is infinite too; a square that overflowed is finite there.
    is_finite_there = record.float64_abs_max is not None
    if (
        name.startswith("pow")
        and record.operands
        and _zeros(record.operands[0])
        and not is_finite_there
    ):
        return f"it raises zero to a negative power: {_zeros(record.operands[0])} of its input"
    return ""


def _explain_negative(record: OpRecord) -> str:
    if record.kind != "nan" or not record.operands or record.operands[0].low >= 0:
        return ""
    low = record.operands[0].low
    if record.operator.name in _LOGARITHMS:
        return f"it takes the logarithm of a negative number (smallest input {low:.3g})"
    if record.operator.name in _ROOTS:
        return f"it takes the square root of a negative number (smallest input {low:.3g})"
    return ""


def _explain_range(record: OpRecord) -> str:
    limit = largest_finite(record.output.dtype) if record.output else None
    if limit is None or record.output is None:
        return ""
    inputs = [o.stats.finite_abs_max for o in record.operands if o.stats is not None]
    read = f"; its inputs are finite (abs max {max(inputs):.3g})" if inputs else ""
    name = f"{limit:.6g}, the largest {record.output.dtype}"
    if record.float64_abs_max is not None and record.float64_abs_max > limit:
        return f"the result would be {record.float64_abs_max:.3g}, above {name}{read}"
    if record.kind != "nan" and not record.bad_operands:
        return f"the result is beyond {name}{read}"
    return f"its inputs are finite (abs max {max(inputs):.3g})" if inputs else ""


def _explain_outlet(record: OpRecord) -> str:
    """Say what became of the -inf of a mask."""
    if not record.lets_mask_out:
        return ""
    source = record.bad_operands[0].source
    if record.operator.name == "sum" and isinstance(source, OpRecord) and _is_log_softmax(source):
        return (
            "it adds up the log-probabilities of all classes, also those that are masked (-inf), "
            "as label smoothing does"
        )
    if record.operator.is_reduction:
        return "it takes -inf together with the rest: all of it is -inf"
    return f"it turns the -inf of a mask into {record.kind}"


def _is_log_softmax(record: OpRecord) -> bool:
    return record.operator.name == "log_softmax"


def _zeros(operand: Operand) -> str:
    if operand.stats is None or not operand.stats.zero_share:
        return ""
    count = round(operand.stats.zero_share * operand.num_elements)
    return f"{count} zero{'s' if count > 1 else ''} in {operand.num_elements} elements"


_EXPLANATIONS = (
    _explain_outlet,
    _explain_fill,
    _explain_zero,
    _explain_negative,
    _explain_range,
)
