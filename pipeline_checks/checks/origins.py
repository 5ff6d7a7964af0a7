"""The words for where a value stopped being finite."""

import re

from ..facts.numerics import HugeValue, NumericsFacts, OriginFact
from ..report import Stage
from .wording import batch, number, sample, sample_list

NODE = re.compile(r"(\w+?)Backward\d*")


def origin_in(
    numerics: NumericsFacts | None, stage: Stage, number_: int | None = None
) -> OriginFact | None:
    """The origin of this stage (and batch), or None."""
    for origin in numerics.origins if numerics is not None else ():
        if origin.stage is stage and number_ in {None, origin.batch}:
            return origin
    return None


def origin_values(origin: OriginFact) -> dict[str, object]:
    """What a finding says of it to a program."""
    return {
        "module": origin.module,
        "operator": origin.operator,
        "batch": origin.batch,
        "samples": list(origin.indices),
        "would_be": origin.would_be,
    }


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
    if origin.huge is not None:
        parts.append(_huge_text(origin.huge))
    if origin.masked_by:
        parts.append(f"the -inf is that of a mask ({_mask_place(origin)})")
    if origin.input_max is not None and not parts:
        parts.append(f"its inputs are finite (at most {number(origin.input_max)})")
    is_over = origin.would_be is not None and origin.limit is not None
    if is_over and abs(origin.would_be or 0) > (origin.limit or 0):
        parts.append(
            f"in float32 the result would be {number(origin.would_be)}, above "
            f"{number(origin.limit)}, the largest {origin.dtype}"
        )
    return "; ".join(parts)


def _mask_place(origin: OriginFact) -> str:
    """`masked_fill at train.py:30`; without the line where that is the operator's own."""
    is_elsewhere = origin.masked_at is not None and origin.masked_at != origin.location
    return origin.masked_by + (f" at {origin.masked_at}" if is_elsewhere else "")


def _huge_text(huge: HugeValue) -> str:
    sample_ = f" in {sample(huge.index)}" if huge.index is not None else ""
    median = number(huge.median)
    return f"batch{huge.path} holds {number(huge.value)}{sample_}, where the median is {median}"


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
    """What to do: by what held the value, by the reason, by the operator and the dtype."""
    if origin.source in SOURCE_HINTS:
        return SOURCE_HINTS[origin.source]
    if origin.huge is not None:
        return HUGE_HINT
    by_reason = (hint for phrase, hint in REASON_HINTS.items() if phrase in origin.reason)
    return next(by_reason, "") or _operator_hint(origin)


def _operator_hint(origin: OriginFact) -> str:
    name = operator_name(origin)
    if "loss" in name and origin.source == "outside":
        return "look at the loss's class weights: n / 0 for a class that never occurs is inf."
    if origin.dtype == "float16" and origin.kind != "nan" and origin.would_be is not None:
        return (
            "run this module in float32 (autocast(enabled=False)), use bfloat16, or scale its "
            "inputs or weights down."
        )
    if "softmax" in name:
        return MASK_HINT
    return HINTS.get(name, "look at the values that go into this operator for this batch.")


SOURCE_HINTS = dict.fromkeys(
    ("weight", "buffer"),
    "fill it when the model is built (torch.empty holds whatever was in memory), or look at the "
    "checkpoint that it was loaded from.",
)
HUGE_HINT = (
    "a fill value for what is missing? Replace it before training: mask it, or "
    "torch.where(x.abs() < limit, x, 0)."
)
MASK_HINT = (
    "a row of the mask hides everything: look whether it is inverted (True hides in "
    "MultiheadAttention and masked_fill, and lets see in scaled_dot_product_attention), drop "
    "samples that are all padding, or mask with a large finite number (torch.finfo(dtype).min) in "
    "place of -inf."
)
REASON_HINTS = {
    "nothing but -inf": MASK_HINT,
    "the ignore_index": "leave such batches out (or their term: if (target != ignore).any()), or "
    "sum the loss and divide by the number of targets that count, clamped to at least 1.",
    "class weight of every one": "give no class that occurs alone in a batch the weight 0, or sum "
    "the loss and divide by the clamped sum of the weights.",
    "of 0 elements": "leave the term out where nothing is selected (if mask.any()), or divide a "
    "sum by the count, clamped to at least 1.",
    "n - 1 is 0": "one value has no spread: use correction=0, and drop_last=True or another batch "
    "size where it is a last batch of one sample.",
    "label smoothing": "label smoothing gives every class a share of the target: set it to 0 where "
    "classes are masked, or mask with a large finite number in place of -inf.",
    "whose class has -inf": "look at the mask: it hides a class that is some sample's target.",
    "divides by the number 0": "the count is 0: leave the term out, or divide by max(count, 1).",
    "raises zero to a negative power": "at 0 the power x ** p has an infinite gradient where p is "
    "below 1 (x ** 0.5 is a square root): add an eps inside, (x + eps) ** p.",
}
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
