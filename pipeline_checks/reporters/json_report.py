"""The report as JSON, for programs.

The object has these keys. A key never changes its meaning within a `schema_version`; new ones may
be added to it.

- `schema_version`: 1.
- `tool`: `name` and `version`.
- `target`: what was checked, as the user wrote it.
- `complete`: false if a check or a stage crashed inside tdebug, or the user stopped the run.
- `interrupted`: true if the user stopped it.
- `seconds`, `device`, `versions`: of the run.
- `counts`: the number of findings by severity: `error`, `warning`, `info`.
- `findings`: a flat list; each has `code`, `name`, `stage`, `severity`, `message`, `where`, `hint`
  (texts, "" where there is nothing to say), `location` (`file`, `line`, `function`, `code`; or
  null), `values` (the measured numbers) and `stack` (locations in the user's code, outermost
  first).
- `ignored`: findings that were set aside, in the same form.
- `stages`: `stage`, `status` (passed, failed, skipped, errored), `reason`, `summary`, `seconds`,
  `output`.
- `checks`: `code`, `name`, `stage`, `status`, `reason`, `traceback`.
- `notes`: sentences for the reader.

JSON knows no not-a-number and no infinity: in `values` they are the texts "nan", "inf", "-inf".
The text is ASCII; half a surrogate pair, which strict parsers refuse, is written out as its escape.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict, is_dataclass
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from ..report import Severity

if TYPE_CHECKING:
    from ..report import Report

SCHEMA_VERSION = 1
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def render_json(report: Report) -> str:
    """The report as JSON text, indented, with a line end after it."""
    body = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "tdebug", "version": _version()},
        "target": report.target,
        "complete": report.is_complete,
        "interrupted": report.interrupted,
        "seconds": round(report.seconds, 3),
        "device": report.device,
        "versions": report.versions,
        "counts": {severity.value: report.count(severity) for severity in reversed(Severity)},
        "findings": report.findings,
        "ignored": report.ignored,
        "stages": report.stages,
        "checks": report.checks,
        "notes": report.notes,
    }
    return json.dumps(_plain(body), indent=2, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """The value as data that JSON can hold, whatever a check put into its numbers."""
    match value:
        case Enum():
            plain: Any = _plain(value.value)
        case None | bool() | int():
            plain = value
        case float():
            plain = value if math.isfinite(value) else str(value)
        case dict():
            plain = {_text(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            plain = [_plain(item) for item in value]
        case _ if is_dataclass(value) and not isinstance(value, type):
            plain = _plain(asdict(value))
        case _:
            plain = _text(value)
    return plain


def _text(value: object) -> str:
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):x}", str(value))


def _version() -> str:
    try:
        return version("tdebug")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "unknown"
