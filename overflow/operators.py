"""What an operator does to its arguments, read once from its schema."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch._ops import OpOverload

# These hand out memory that nobody has written yet: what is in it is nobody's result.
_UNINITIALISED = re.compile(r"^(new_)?empty(_like|_strided|_permuted|_quantized)?$|^resize_?$")

# These write their first argument without reading it.
_WRITE_ONLY = frozenset(
    {
        "copy_",
        "fill_",
        "zero_",
        "normal_",
        "uniform_",
        "random_",
        "bernoulli_",
        "exponential_",
        "geometric_",
        "log_normal_",
        "cauchy_",
        "eye_",
    }
)

# These take many elements together: -inf among them is -inf of all.
_REDUCTIONS = frozenset(
    {"sum", "mean", "logsumexp", "max", "amax", "cumsum", "logcumsumexp", "std", "var"}
)

# Sums of products: an infinity out of them is an overflow, and no mask that someone computed.
_PRODUCTS = frozenset(
    {"mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "dot", "linear", "mkldnn_linear"}
    | {"convolution", "mkldnn_convolution", "convolution_overrideable"}
)

# These put a value where the author asked for it: an infinity out of them is deliberate.
_FILLS = frozenset(
    {
        "masked_fill",
        "masked_fill_",
        "fill",
        "fill_",
        "full",
        "full_like",
        "new_full",
        "where",
        "scalar_tensor",
        "lift_fresh",
        "lift_fresh_copy",
        "index_fill",
        "index_fill_",
        "masked_scatter",
        "masked_scatter_",
        "fill_diagonal_",
        "constant_pad_nd",
        "index_put",
        "index_put_",
        "_index_put_impl_",
        "scatter",
        "scatter_",
    }
)


@dataclass(frozen=True)
class Operator:
    """Facts about one overload of an operator.

    Attributes:
        name: The name people use: `softmax` for `aten::_softmax`, `div` for `aten::div.Tensor`.
        overload: The full name, `aten.div.Tensor`.
        is_view: It gives another look at its input and writes nothing.
        is_uninitialised: It hands out memory without writing it.
        is_fill: It puts a given value where it was asked to.
        is_reduction: It takes many elements together.
        is_product: It adds up products, as a matrix product or a convolution does.
        is_random: It draws random numbers.
        written: Positions and names of the arguments that it writes.
        unread: Those of them that it does not read.
        argument_names: Names of the positional arguments.
    """

    name: str
    overload: str
    is_view: bool
    is_uninitialised: bool
    is_fill: bool
    is_reduction: bool
    is_product: bool
    is_random: bool
    written: frozenset[str]
    unread: frozenset[str]
    argument_names: tuple[str, ...]


@lru_cache(maxsize=4096)
def describe_operator(func: OpOverload) -> Operator:
    """Read the facts about an overload from its schema."""
    schema = func._schema  # noqa: SLF001 - the schema has no public door
    base = schema.name.rpartition("::")[2]
    written = frozenset(
        a.name for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write
    )
    out = frozenset(a.name for a in schema.arguments if a.name in written and a.kwarg_only)
    returns_alias = any(r.alias_info is not None for r in schema.returns)
    return Operator(
        name=readable_name(base),
        overload=str(func),
        is_view=returns_alias and not written,
        is_uninitialised=_UNINITIALISED.match(base) is not None,
        is_fill=base in _FILLS,
        is_reduction=base in _REDUCTIONS,
        is_product=base.lstrip("_") in _PRODUCTS,
        is_random=torch.Tag.nondeterministic_seeded in func.tags,
        written=written,
        unread=written if base in _WRITE_ONLY else out,
        argument_names=tuple(a.name for a in schema.arguments),
    )


def readable_name(base: str) -> str:
    """Give the name that people know an operator by.

    Example:
        >>> readable_name("_softmax"), readable_name("_to_copy"), readable_name("add_")
        ('softmax', 'to', 'add_')
    """
    if base == "_to_copy":
        return "to"
    if base.startswith("_scaled_dot_product"):
        return "scaled_dot_product_attention"
    return base.lstrip("_").removesuffix(".default")


def iterate_arguments(
    operator: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[tuple[str, Tensor]]:
    """Yield name and value of every tensor argument, those in lists as `tensors[0]`."""
    named = zip(operator.argument_names, args, strict=False)
    for name, value in (*named, *kwargs.items()):
        if isinstance(value, Tensor):
            yield name, value
        elif isinstance(value, (list, tuple)):
            for i, item in enumerate(value):
                if isinstance(item, Tensor):
                    yield f"{name}[{i}]", item


def name_arguments(
    operator: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Give all arguments by name; those left at their defaults are not among them."""
    return {**dict(zip(operator.argument_names, args, strict=False)), **kwargs}


def iterate_outputs(result: Any) -> Iterator[Tensor]:
    """Yield the tensors that an operator returned."""
    if isinstance(result, Tensor):
        yield result
    elif isinstance(result, (list, tuple)):
        for item in result:
            yield from iterate_outputs(item)


def storage_key(tensor: Tensor) -> int | None:
    """Give a number that two tensors share exactly while they share memory, None without memory."""
    try:
        return int(tensor.untyped_storage()._cdata)  # noqa: SLF001 - data_ptr is 0 for empty ones
    except (NotImplementedError, RuntimeError):  # sparse and other layouts have no storage
        return None
