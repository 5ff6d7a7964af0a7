"""The rules of the single values of a spec."""

from __future__ import annotations

import math
import re
from numbers import Integral
from typing import Any

from .near import did_you_mean
from .rules import Rule

PRECISIONS = ("fp32", "bf16", "fp16")
DEVICE_PATTERN = r"cpu|auto|mps|cuda(:[0-9]+)?"
# numpy's own limit: numpy.random.seed takes 32 bits.
LARGEST_SEED = 2**32 - 1
# What a length can be in Python and a size in torch.
LARGEST = 2**63 - 1
BOOLEANS_OF_YAML_1_1 = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false"}


def read_whole_number(value: object) -> int:
    """A whole number; `1e3` is one, true and '3' are none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, Integral) and not isinstance(value, bool) and abs(int(value)) <= LARGEST:
        return int(value)
    raise ValueError(value)


def _suggest_smaller(value: object) -> str:
    is_too_large = isinstance(value, (int, float)) and abs(value) > LARGEST
    return "It does not fit into 64 bits." if is_too_large else ""


def whole_number(least: int, most: int | None = None) -> Rule:
    """The rule of a whole number with bounds, both included."""

    def read(value: object) -> int:
        number = read_whole_number(value)
        if number < least or (most is not None and number > most):
            raise ValueError(number)
        return number

    schema = {"type": "integer", "minimum": least}
    if most is None:
        return Rule(f"a whole number of at least {least}", read, schema, _suggest_smaller)
    return Rule(f"a whole number from {least} to {most}", read, {**schema, "maximum": most})


def _read_seconds(value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        seconds = float(value)
        if math.isfinite(seconds) and seconds > 0:
            return seconds
    raise ValueError(value)


def _read_boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(value)  # noqa: TRY004 - a rule says ValueError for whatever does not fit
    return value


def _suggest_boolean(value: object) -> str:
    meant = BOOLEANS_OF_YAML_1_1.get(value.lower()) if isinstance(value, str) else None
    return f"In YAML 1.2 that is text: write {meant}." if meant else ""


def _read_samples(value: object) -> Any:
    if value == "all":
        return value
    number = read_whole_number(value)
    if number < 1:
        raise ValueError(number)
    return number


def _read_precision(value: object) -> str:
    if value not in PRECISIONS:
        raise ValueError(value)
    return str(value)


def _read_device(value: object) -> str:
    text = str(value)  # CONFIG may hold a torch.device
    if re.fullmatch(DEVICE_PATTERN, text) is None:
        raise ValueError(value)
    return text


def _suggest_device(value: object) -> str:
    numbered = re.fullmatch(r"(cuda|gpu)[ _-]?(\d*)", str(value).lower())
    if numbered:
        return f"Did you mean {f'cuda:{numbered[2]}' if numbered[2] else 'cuda'!r}?"
    return did_you_mean(str(value), ("cpu", "cuda", "mps", "auto"))


def _suggest_precision(value: object) -> str:
    return did_you_mean(str(value), PRECISIONS, cutoff=0.5)


WHOLE_FROM_0 = whole_number(0)
WHOLE_FROM_1 = whole_number(1)
SEED = whole_number(0, LARGEST_SEED)
SECONDS = Rule(
    "a number of seconds above 0", _read_seconds, {"type": "number", "exclusiveMinimum": 0}
)
BOOLEAN = Rule("true or false", _read_boolean, {"type": "boolean"}, _suggest_boolean)
SAMPLES = Rule(
    "a whole number of at least 1, or all",
    _read_samples,
    {"anyOf": [{"type": "integer", "minimum": 1}, {"const": "all"}]},
    lambda value: _suggest_smaller(value) or did_you_mean(str(value), ("all",)),
)
PRECISION = Rule(
    "fp32, bf16 or fp16", _read_precision, {"enum": list(PRECISIONS)}, _suggest_precision
)
DEVICE = Rule(
    "cpu, cuda, cuda:N, mps or auto",
    _read_device,
    {"type": "string", "pattern": f"^({DEVICE_PATTERN})$"},
    _suggest_device,
)
