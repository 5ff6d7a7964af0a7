"""The tensors of one module's forward with their names, at the least cost."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from torch import Tensor

from .nested import walk_leaves

if TYPE_CHECKING:
    from collections.abc import Iterator

_INPUTS = tuple(f"input[{i}]" for i in range(64))
_OUTPUTS = tuple(f"output[{i}]" for i in range(64))


def iterate_activations(
    args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
) -> Iterator[tuple[str, Tensor]]:
    """Yield name and value of every tensor among a module's inputs and outputs."""
    for i, value in enumerate(args):
        if isinstance(value, Tensor):
            yield _INPUTS[i] if i < len(_INPUTS) else f"input[{i}]", value
        elif value is not None:
            yield from _tensors(value, f"input[{i}]")
    for key, value in kwargs.items():
        if isinstance(value, Tensor):
            yield _keyword(key), value
        elif value is not None:
            yield from _tensors(value, _keyword(key))
    yield from _iterate_output(output)


def _iterate_output(output: Any) -> Iterator[tuple[str, Tensor]]:
    if isinstance(output, Tensor):
        yield "output", output
    elif type(output) is tuple:
        for i, value in enumerate(output):
            if isinstance(value, Tensor):
                yield _OUTPUTS[i] if i < len(_OUTPUTS) else f"output[{i}]", value
            elif value is not None:
                yield from _tensors(value, f"output[{i}]")
    else:
        yield from _tensors(output, "output")


@lru_cache(maxsize=1024)
def _keyword(key: str) -> str:
    return f"input[{key}]"


def _tensors(value: Any, context: str) -> Iterator[tuple[str, Tensor]]:
    for name, leaf in walk_leaves(value, context):
        if isinstance(leaf, Tensor):
            yield name, leaf
