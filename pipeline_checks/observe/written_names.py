"""The texts that stand in a function, and so do not depend on what it is called with."""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def stand_in_code(names: Iterable[str], function: Any) -> bool:
    """Whether each name stands in the code of the function itself."""
    function = getattr(function, "func", function)  # functools.partial
    call = getattr(type(function), "__call__", None)  # noqa: B004 - wanted for its code
    code = getattr(function, "__code__", None) or getattr(call, "__code__", None)
    return isinstance(code, CodeType) and set(names) <= set(_texts(code.co_consts))


def _texts(constants: tuple[Any, ...]) -> Iterator[str]:
    for constant in constants:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple):
            yield from _texts(constant)
        elif isinstance(constant, CodeType):
            yield from _texts(constant.co_consts)
