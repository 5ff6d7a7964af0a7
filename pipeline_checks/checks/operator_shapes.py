"""Shapes that an operator between tensors cannot put together."""

import ast
from math import prod

from ..facts import ModelFacts
from ..facts.tensors import TensorFact
from ..facts.training import FailureFact
from .failures import plain_function, tensor_name
from .mismatch import Mismatch
from .wording import name_list, shape_text

TWO = 2
Shape = tuple[int, ...]


def broadcast(first: Shape, second: Shape) -> Shape | None:
    """The shape that both broadcast to, None where they do not.

    >>> broadcast((8, 1), (8,)), broadcast((4, 3), (4, 2))
    ((8, 8), None)
    """
    length = max(len(first), len(second))
    left = (1,) * (length - len(first)) + first
    right = (1,) * (length - len(second)) + second
    pairs = list(zip(left, right, strict=True))
    if any(a != b and 1 not in {a, b} for a, b in pairs):
        return None
    return tuple(b if a == 1 else a for a, b in pairs)


def elementwise(failure: FailureFact, _model: ModelFacts | None) -> Mismatch | None:
    """Two operands that do not broadcast."""
    if len(failure.operands) < TWO:
        return None
    first, second = failure.operands[:2]
    if broadcast(first.shape, second.shape) is not None:
        return None
    return Mismatch(
        f"{plain_function(failure)} of {_shown(first, 'a tensor')} and "
        f"{_shown(second, 'one')}: {_clash(first.shape, second.shape)}.",
        _elementwise_hint(first.shape, second.shape),
        {"first": list(first.shape), "second": list(second.shape)},
    )


def _shown(tensor: TensorFact, otherwise: str) -> str:
    return f"{tensor_name(tensor, otherwise)} {shape_text(tensor.shape)}"


def _clash(first: Shape, second: Shape) -> str:
    for back in range(1, min(len(first), len(second)) + 1):
        a, b = first[-back], second[-back]
        if a != b and 1 not in {a, b}:
            return f"counted from the right, dimension {back} is {a} against {b}"
    return "the shapes do not broadcast"


def _elementwise_hint(first: Shape, second: Shape) -> str:
    longer, shorter = sorted((first, second), key=len, reverse=True)
    if len(longer) == len(shorter) + 1:
        for place in range(len(shorter) + 1):
            spread = (*shorter[:place], 1, *shorter[place:])
            if broadcast(longer, spread) == longer:
                return f"unsqueeze({place}) on the {shape_text(shorter)} tensor makes them fit."
    if len(first) == len(second) == TWO and first == second[::-1]:
        return "one of them is transposed: use .T on it."
    return "make both the same size; a skip connection needs a projection (Linear or 1x1 conv)."


def masking(failure: FailureFact, _model: ModelFacts | None) -> Mismatch | None:
    """A mask of another shape than what it picks from."""
    if len(failure.operands) < TWO or failure.operands[1].dtype != "bool":
        return None
    given, mask = failure.operands[:2]
    if mask.shape == given.shape[: len(mask.shape)]:
        return None
    return Mismatch(
        f"the mask {shape_text(mask.shape)} does not fit the tensor {shape_text(given.shape)} that "
        "it picks from.",
        "make the mask from the same batch and length as the tensor, or cut both alike.",
        {"mask": list(mask.shape), "tensor": list(given.shape)},
    )


def product(failure: FailureFact, _model: ModelFacts | None) -> Mismatch | None:
    """The inner dimensions of a matrix product, or its batch dimensions."""
    operands = failure.operands[1:] if "add" in failure.function else failure.operands
    if len(operands) < TWO or not all(o.shape for o in operands[:2]):
        return None
    first, second = operands[:2]
    rows = second.shape[-2:][0]  # of a vector its only size
    values = {"first": list(first.shape), "second": list(second.shape)}
    if first.shape[-1] != rows:
        return Mismatch(
            f"{plain_function(failure)} of {_shown(first, 'a tensor')} and "
            f"{_shown(second, 'one')}: {first.shape[-1]} columns meet {rows} rows.",
            _product_hint(first.shape, second.shape),
            values,
        )
    if broadcast(first.shape[:-2], second.shape[:-2]) is None:
        return Mismatch(
            f"{plain_function(failure)} of {_shown(first, 'a tensor')} and "
            f"{_shown(second, 'one')}: the batch dimensions differ.",
            "make the leading dimensions equal, or 1 where one is to be repeated.",
            values,
        )
    return None


def _product_hint(first: Shape, second: Shape) -> str:
    if first[-1] == second[-1]:
        return "transpose the second: b.transpose(-2, -1)."
    if len(first) > 1 and first[-2] == second[-2:][0]:
        return "transpose the first: a.transpose(-2, -1)."
    return "the last dimension of the first must equal the last but one of the second."


def joining(failure: FailureFact, _model: ModelFacts | None) -> Mismatch | None:
    """Tensors that `cat` or `stack` cannot join."""
    shapes = list(dict.fromkeys(o.shape for o in failure.operands if o.shape != (0,)))
    if len(shapes) < TWO:
        return None
    named = dict(a.split("=", 1) for a in failure.arguments if "=" in a)
    places = [a for a in failure.arguments if "=" not in a]
    dim = int(named.get("dim", places[-1] if places and places[-1].lstrip("-").isdigit() else 0))
    differ = _differing(shapes)
    if failure.function != "stack" and differ is not None and differ <= {dim % len(shapes[0])}:
        return None
    shown = name_list([shape_text(shape) for shape in shapes])
    return Mismatch(
        f"{failure.function} along dim {dim} of tensors of shape {shown}: {_differ_text(differ)}.",
        _joining_hint(failure.function, differ),
        {"shapes": [list(shape) for shape in shapes], "dim": dim},
    )


def _differing(shapes: list[Shape]) -> set[int] | None:
    """The dimensions in which they differ; None where their number of dimensions does."""
    if len({len(shape) for shape in shapes}) > 1:
        return None
    return {i for i, sizes in enumerate(zip(*shapes, strict=True)) if len(set(sizes)) > 1}


def _differ_text(differ: set[int] | None) -> str:
    if differ is None:
        return "they have different numbers of dimensions"
    return f"they differ in dimension {name_list(sorted(differ))}"


def _joining_hint(function: str, differ: set[int] | None) -> str:
    if differ is None:
        return "give all the same number of dimensions (unsqueeze or flatten the odd one)."
    if function == "stack":
        return "stack needs equal shapes: pad or resize first."
    if len(differ) == 1:
        (only,) = differ
        return f"join along dim={only}, or make them equal there (pad, crop or resize)."
    return "they may differ only in the dimension that they are joined along."


def sizing(failure: FailureFact, _model: ModelFacts | None) -> Mismatch | None:
    """A `view` or `reshape` to a size that the tensor does not have."""
    wanted, given = _wanted_sizes(failure), next(iter(failure.operands), None)
    if given is None or not wanted:
        return None
    known = prod(size for size in wanted if size != -1)
    fits = given.numel % known == 0 if -1 in wanted and known else given.numel == known
    call = f"{failure.function}({', '.join(map(str, wanted))})"
    values = {"input": list(given.shape), "wanted": list(wanted)}
    if fits:
        return Mismatch(
            f"{call} of a tensor {shape_text(given.shape)} whose memory is not contiguous (after "
            "a transpose, permute or slice).",
            "write .reshape(...) in place of .view(...).",
            values,
        )
    return Mismatch(
        f"{call} needs {'a multiple of ' if -1 in wanted else ''}{known} numbers, but the tensor "
        f"{shape_text(given.shape)} holds {given.numel} ({prod(given.shape[1:])} a row).",
        _sizing_hint(given.shape, wanted),
        values,
    )


def _wanted_sizes(failure: FailureFact) -> Shape:
    found: list[int] = []
    for argument in failure.arguments:
        try:
            value = ast.literal_eval(argument.split("=", 1)[-1])
        except (ValueError, SyntaxError):
            return ()
        found.extend(value if isinstance(value, (tuple, list)) else [value])
    return tuple(found) if all(isinstance(size, int) for size in found) else ()


def _sizing_hint(given: Shape, wanted: Shape) -> str:
    if -1 not in wanted and given and prod(given[1:]) == prod(wanted[1:]):
        return f"this batch has {given[0]} rows, not {wanted[0]}: write x.size(0) in place of it."
    if len(wanted) == TWO and wanted[0] == -1:
        width = prod(given[1:])
        return f"x.flatten(1) keeps the rows; the next layer then gets {width} features."
    return "compute the sizes from x.shape; keep the batch dimension with x.size(0)."
