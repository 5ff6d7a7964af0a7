"""Any data as what JSON can hold: no not-a-number, no infinity, no half of a surrogate pair."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, is_dataclass
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from typing import Any

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def plain_data(value: Any) -> Any:
    """The value as data that JSON can hold, whatever a check put into its numbers."""
    match value:
        case Enum():
            plain: Any = plain_data(value.value)
        case None | bool() | int():
            plain = value
        case float():
            plain = value if math.isfinite(value) else str(value)
        case dict():
            plain = {_text(key): plain_data(item) for key, item in value.items()}
        case list() | tuple():
            plain = [plain_data(item) for item in value]
        case _ if is_dataclass(value) and not isinstance(value, type):
            plain = plain_data(asdict(value))
        case _:
            plain = _text(value)
    return plain


def _text(value: object) -> str:
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):x}", str(value))


def tool_version() -> str:
    """The version of tdebug that is installed."""
    try:
        return version("tdebug")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "unknown"
