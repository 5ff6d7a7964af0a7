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
from typing import TYPE_CHECKING

from ..report import Severity
from .plain_data import plain_data, tool_version

if TYPE_CHECKING:
    from ..report import Report

SCHEMA_VERSION = 1


def render_json(report: Report) -> str:
    """The report as JSON text, indented, with a line end after it."""
    body = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "tdebug", "version": tool_version()},
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
    return json.dumps(plain_data(body), indent=2, allow_nan=False) + "\n"
