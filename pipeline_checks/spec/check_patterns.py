"""Which checks are meant: code prefixes (`TD1`, `TD104`) and names (`labels-out-of-range`).

Whether a check of that code or name exists is for the registry to say.
"""

from __future__ import annotations

import re
from typing import Any

from .flaws import Flaw, FlawsError, gather_flaws
from .near import did_you_mean
from .rules import Rule

CODE_PREFIX = re.compile(r"TD\d{0,3}", re.ASCII)
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)
SEVERITIES = ("info", "warning", "error")
EXPECTED = "a code prefix like TD1 or TD104, or the name of a check like labels-out-of-range"


def read_pattern(value: object) -> str:
    """One code prefix, in capitals, or one name, in small letters with hyphens.

    Raises:
        FlawsError: It has the form of neither.
    """
    if isinstance(value, str):
        if CODE_PREFIX.fullmatch(value.strip().upper()):
            return value.strip().upper()
        name = value.strip().lower().replace("_", "-")
        if NAME.fullmatch(name) and not re.fullmatch(r"td\d+", name):
            return name
    raise FlawsError([Flaw.unlike(value, EXPECTED)])


def read_patterns(value: object) -> tuple[str, ...]:
    """A list of patterns, or a text with commas between them.

    Raises:
        FlawsError: With one flaw for each that has the form of none.
    """
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)):
        raise FlawsError([Flaw.unlike(value, f"a list; each {EXPECTED}")])
    found: list[str] = []
    flaws: list[Flaw] = []
    for place, item in enumerate(items):
        with gather_flaws(flaws, () if isinstance(value, str) else (place,)):
            found.append(read_pattern(item))
    if flaws:
        raise FlawsError(flaws)
    return tuple(found)


def read_severities(value: object) -> dict[str, str]:
    """A mapping of patterns to severities.

    Raises:
        FlawsError: With every flaw.
    """
    if not isinstance(value, dict):
        raise FlawsError([Flaw.unlike(value, "a mapping like {TD207: info}")])
    found: dict[str, str] = {}
    flaws: list[Flaw] = []
    for key, level in value.items():
        try:
            found[read_pattern(key)] = str(level)
        except FlawsError:
            flaws.append(Flaw(f"is no check; expected {EXPECTED}.", path=(str(key),)))
        if level not in SEVERITIES:
            flaws.append(_unlike_severity(level, str(key)))
    if flaws:
        raise FlawsError(flaws)
    return found


def _unlike_severity(level: object, key: str) -> Flaw:
    remedy = did_you_mean(str(level), SEVERITIES)
    if level in ("off", "ignore", "none", False):
        remedy = "To silence a check, put it in checks.ignore."
    return Flaw.unlike(level, "info, warning or error", remedy, (key,))


_PATTERN_SCHEMA: dict[str, Any] = {"type": "string"}
PATTERNS = Rule(
    EXPECTED,
    read_patterns,
    {"anyOf": [_PATTERN_SCHEMA, {"type": "array", "items": _PATTERN_SCHEMA}]},
)
SEVERITY_OF = Rule(
    "a mapping like {TD207: info}",
    read_severities,
    {"type": "object", "additionalProperties": {"enum": list(SEVERITIES)}},
)
