"""Look for arrays of dtype object where reading a sample raised."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..facts.samples import ObjectArray
from .values import read_value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from .user_code import UserCode

MAX_ARRAYS = 5
MAX_ATTRIBUTES = 200


def find_object_arrays(error: BaseException, code: UserCode) -> tuple[ObjectArray, ...]:
    """Object arrays among the locals, and in `self`, of the user's innermost frame.

    Only after a TypeError or a ValueError, which is what torch raises over such an array.
    """
    if not isinstance(error, (TypeError, ValueError)) or "numpy" not in sys.modules:
        return ()
    frame = _innermost(error, code)
    if frame is None:
        return ()
    found: list[ObjectArray] = []
    array_type = sys.modules["numpy"].ndarray
    for name, value in _at_hand(frame):
        if isinstance(value, array_type) and value.dtype == object and len(found) < MAX_ARRAYS:
            read = read_value(value)
            found.append(ObjectArray(name, read.shape or (), read.types_inside))
    return tuple(found)


def _innermost(error: BaseException, code: UserCode) -> FrameType | None:
    traceback, frame = error.__traceback__, None
    while traceback is not None:
        if code.holds(traceback.tb_frame.f_code.co_filename):
            frame = traceback.tb_frame
        traceback = traceback.tb_next
    return frame


def _at_hand(frame: FrameType) -> Iterator[tuple[str, Any]]:
    for name, value in list(frame.f_locals.items()):
        if name != "self":
            yield name, value
    attributes = getattr(frame.f_locals.get("self"), "__dict__", {})
    for name, value in list(attributes.items())[:MAX_ATTRIBUTES]:
        yield f"self.{name}", value
