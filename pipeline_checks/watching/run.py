"""What the worker runs for `tdebug overflow` and `tdebug trace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..stages.device import pick_device
from ..stages.load import Loading
from ..stages.run import import_path, open_session
from ..stages.settings import precision_of
from .options import WatchOptions
from .watched_training import WatchedTraining

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..events import Event
    from ..spec import WorkerSpec


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
