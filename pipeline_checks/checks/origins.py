"""The words for where a value stopped being finite."""

import re

from ..facts.numerics import NumericsFacts, OriginFact
from ..report import Stage
from .wording import batch, number, sample_list

NODE = re.compile(r"(\w+?)Backward\d*")


def origin_in(
    numerics: NumericsFacts | None, stage: Stage, number_: int | None = None
) -> OriginFact | None:
    """The origin of this stage (and batch), or None."""
    for origin in numerics.origins if numerics is not None else ():
        if origin.stage is stage and number_ in {None, origin.batch}:
            return origin
    return None


def operator_text(origin: OriginFact) -> str:
    """`linear in wo (Linear)`, `log in compute_loss`, `div in the model's own forward`."""
    return f"{operator_name(origin)} in {_place_of(origin)}"


def operator_name(origin: OriginFact) -> str:
    """The operator as the user wrote it: for a backward that of the forward, told by its node.

    >>> operator_name(OriginFact(Stage.BACKWARD, 0, "div", "nan", node="SqrtBackward0"))
    'sqrt'
    >>> operator_name(OriginFact(Stage.FORWARD, 0, "nll_loss_forward", "nan"))
    'nll_loss'
    """
    found = NODE.fullmatch(origin.node)
    if origin.stage is Stage.BACKWARD and found:
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", found.group(1)).lower()
        return words.removeprefix("linalg_vector_")
    return origin.operator.removesuffix("_forward").strip("_")


def _place_of(origin: OriginFact) -> str:
    if origin.module:
        return origin.module + (f" ({origin.module_type})" if origin.module_type else "")
    if origin.is_in_model:
        return "the model's own forward"
    function = origin.location.function if origin.location is not None else None
    return function or "the loss"


def source_text(origin: OriginFact) -> str:
    """What held the value before the operator read it, "" where the operator itself made it."""
    if origin.source in {"weight", "buffer"}:
        return (
            f"it reads the {origin.source} {origin.source_name}, which holds {origin.kind} already"
        )
    if origin.source == "input":
        return f"the {origin.kind} is in what the model was given"
    if origin.source == "outside":
        return (
            f"the {origin.kind} comes from a tensor outside the model (labels, weights, constants)"
        )
    return ""


def value_text(origin: OriginFact) -> str:
    """Which limit was passed and by what, as far as that is known."""
    if origin.source != "operator":
        return source_text(origin)
    parts = [origin.reason] if origin.reason.startswith("it ") else []
    if origin.input_max is not None:
        parts.append(f"its inputs are finite (at most {number(origin.input_max)})")
    is_over = origin.would_be is not None and origin.limit is not None
    if is_over and abs(origin.would_be or 0) > (origin.limit or 0):
        parts.append(
            f"in float32 the result would be {number(origin.would_be)}, above "
            f"{number(origin.limit)}, the largest {origin.dtype}"
        )
    return "; ".join(parts)


def became_text(origin: OriginFact) -> str:
    """Where an infinity became nan."""
    if not origin.became_nan_in:
        return ""
    where = f" in {origin.became_nan_module}" if origin.became_nan_module else ""
    return f"; {origin.became_nan_in}{where} turns it into nan"


def origin_place(origin: OriginFact, samples: tuple[int, ...]) -> str:
    """Module, batch and samples."""
    where = f"module {origin.module!r}, " if origin.module else ""
    where += batch(origin.batch, samples)
    if origin.indices and len(origin.indices) < max(len(samples), 2):
        where += f", first in {sample_list(origin.indices)}"
    return where


def origin_hint(origin: OriginFact) -> str:
    """What to do, by the operator and the dtype."""
    name = operator_name(origin)
    if origin.source in SOURCE_HINTS:
        return SOURCE_HINTS[origin.source]
    if "loss" in name and origin.source == "outside":
        return "look at the loss's class weights: n / 0 for a class that never occurs is inf."
    if origin.dtype == "float16" and origin.kind != "nan" and origin.would_be is not None:
        return (
            "run this module in float32 (autocast(enabled=False)), use bfloat16, or scale its "
            "inputs or weights down."
        )
    if "softmax" in name:
        return (
            "a row of the mask hides everything: drop samples that are all padding, or mask with a "
            "large finite number (torch.finfo(dtype).min) in place of -inf."
        )
    return HINTS.get(name, "look at the values that go into this operator for this batch.")


SOURCE_HINTS = dict.fromkeys(
    ("weight", "buffer"),
    "fill it when the model is built (torch.empty holds whatever was in memory), or look at the "
    "checkpoint that it was loaded from.",
)
HINTS = {
    "div": "the denominator is zero: make it safe before dividing (clamp(min=eps), or "
    "torch.where on the denominator); a where() after the division does not help backward.",
    "log": "the argument is zero or negative: log(x.clamp(min=eps)), or log_softmax/logsigmoid.",
    "sqrt": "at 0 its gradient is infinite, below 0 it is nan: sqrt(x.clamp(min=0) + eps).",
    "rsqrt": "add an eps inside: rsqrt(x + eps).",
    "pow": "a negative base or a zero with a negative exponent: clamp the base.",
    "exp": "the exponent is too large: subtract the maximum first, or use softmax/logsumexp.",
    "norm": "the gradient of a norm at 0 is undefined: add eps under the root.",
    "linalg_vector_norm": "the gradient of a norm at 0 is undefined: add eps under the root.",
    "std": "of one value (or equal ones) it is nan, or has no gradient: add eps, check the size.",
    "ctc_loss": "some target is longer than its input allows: there must be at least as many time "
    "steps as labels, and one more for each repeated label; drop such samples, use "
    "zero_infinity=True, or subsample less.",
    "reciprocal": "the argument is zero: clamp it away from 0.",
    "acos": "at -1 and 1 its gradient is infinite: clamp to (-1 + eps, 1 - eps).",
}
