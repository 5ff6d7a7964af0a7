"""Plain scalars as YAML 1.2's core schema reads them (https://yaml.org/spec/1.2.2/#103-core-schema).

PyYAML reads YAML 1.1, where `1e-3` is text, `no` is false, `1:30` is 90 and `017` is 15.
"""

from __future__ import annotations

import re
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool | None

NULL = frozenset(("", "~", "null", "Null", "NULL"))
TRUE = frozenset(("true", "True", "TRUE"))
FALSE = frozenset(("false", "False", "FALSE"))
DECIMAL = re.compile(r"[-+]?[0-9]+")
OCTAL = re.compile(r"0o[0-7]+")
HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
INFINITY = re.compile(r"[-+]?\.(inf|Inf|INF)")
NOT_A_NUMBER = frozenset((".nan", ".NaN", ".NAN"))
MOST_DIGITS = 4300  # Python's own limit for int() of a decimal text


def read_scalar(text: str) -> Scalar:
    """The value of a plain (unquoted) scalar.

    >>> [read_scalar(text) for text in ("1e-3", "no", "0o17", "0x1F", "017", "~")]
    [0.001, 'no', 15, 31, 17, None]
    """
    if text in NULL:
        return None
    if text in TRUE or text in FALSE:
        return text in TRUE
    return _read_number(text)


def _read_number(text: str) -> str | int | float:
    if DECIMAL.fullmatch(text):
        return int(text) if len(text) <= MOST_DIGITS else float(text)
    if OCTAL.fullmatch(text):
        return int(text, 0)
    if HEXADECIMAL.fullmatch(text):
        return int(text, 0)
    if FLOAT.fullmatch(text):
        return float(text)
    if INFINITY.fullmatch(text):
        return float(text.replace(".", ""))
    return float("nan") if text in NOT_A_NUMBER else text
