"""What the worker runs for `tdebug overflow`, `trace` and `diff`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...overflow import diff_traces, read_trace
from ..events import Observed
from ..facts.watching import DifferenceFact, DiffFacts
from ..stages.device import pick_device
from ..stages.load import Loading
from ..stages.run import import_path, open_session
from ..stages.settings import precision_of
from .frame_facts import stats_fact
from .options import WatchOptions
from .watched_training import WatchedTraining

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...overflow import Frame, RowDifference
    from ..events import Event
    from ..spec import WorkerSpec

WATCH_SOURCE = "tdebug.pipeline_checks.watching.run:run_watched"
DIFF_SOURCE = "tdebug.pipeline_checks.watching.run:run_diff"
MAX_DIFFERENCES = 1000


def run_watched(spec: WorkerSpec, *, is_worker: bool = True) -> Iterator[Event]:
    """Build the parts that the spec names and train them under watch."""
    session = open_session(spec, is_worker=is_worker)
    with import_path(str(spec.folder)):
        loading = Loading(session)
        yield from loading.run(spec)
        pipeline = loading.pipeline
        if pipeline is None:
            return
        precision = precision_of(pipeline, session.settings)
        device = pick_device(session.settings.device)
        options = WatchOptions.from_json(spec.options)
        yield from WatchedTraining(session, pipeline, options, precision, device).run()


def run_diff(spec: WorkerSpec) -> Iterator[Event]:
    """Compare the two trace files that the options name."""
    files = [spec.options["first"], spec.options["second"]]
    frames: list[list[Frame]] = []
    for name in files:
        try:
            with Path(name).open(encoding="utf-8") as file:
                frames.append(list(read_trace(file)))
        except (OSError, ValueError) as error:
            yield Observed(DiffFacts(mistake=f"{name}: {_said(error)}"))
            return
    found = diff_traces(frames[0], frames[1], spec.options["tolerance"])
    yield Observed(
        DiffFacts(
            differences=tuple(_difference(d) for d in found.differences[:MAX_DIFFERENCES]),
            num_differences=len(found.differences),
            num_compared=found.num_compared,
            only_first=found.only_first,
            only_second=found.only_second,
        )
    )


def _said(error: Any) -> str:
    return f"{error.strerror}." if isinstance(error, OSError) else str(error)


def _difference(found: RowDifference) -> DifferenceFact:
    return DifferenceFact(
        batch=found.batch_number,
        module=found.module,
        module_class=found.module_class,
        context=found.context,
        first=stats_fact(found.first),
        second=stats_fact(found.second),
        relative=found.relative,
        allowed=found.allowed,
    )
