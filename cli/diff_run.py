"""One comparison of two traces, as `tdebug diff` asks for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..pipeline_checks.spec import WorkerSpec
from ..pipeline_checks.watching.options import DIFF_SOURCE
from ..pipeline_checks.watching.side_by_side import compare_traces
from ..pipeline_checks.worker import run_in_worker
from .errors import OptionError
from .event_sources import require_worker

if TYPE_CHECKING:
    from ..pipeline_checks.facts.watching import DiffFacts


def run_diff(first: str, second: str, tolerance: float | None) -> DiffFacts:
    """Compare two files in a worker, which knows what torch's dtypes allow.

    Raises:
        OptionError: A file cannot be read.
    """
    require_worker("diff")
    options = {"first": first, "second": second, "tolerance": tolerance}
    spec = WorkerSpec(file="", folder=Path.cwd(), options=options)
    facts = compare_traces(run_in_worker(spec, source=DIFF_SOURCE))
    if facts.mistake:
        raise OptionError("diff", facts.mistake)
    return facts
