"""What the worker runs for `tdebug overflow` and `tdebug trace`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..events import Note, SpecMistake
from ..stages.device import has_device, pick_device
from ..stages.load import Loading
from ..stages.run import import_path, open_session
from ..stages.settings import precision_of
from .options import WatchOptions
from .other_ranks import NoOtherRanks
from .watchable import UnwatchableError
from .watched_training import WatchedTraining

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..events import Event
    from ..spec import WorkerSpec


def run_watched(
    spec: WorkerSpec,
    *,
    is_worker: bool = True,
    on_error: Callable[[BaseException], None] | None = None,
    others: NoOtherRanks | None = None,
) -> Iterator[Event]:
    """Build the parts that the spec names and train them under watch.

    Args:
        spec: What to train, and how to watch it.
        is_worker: True in a process of its own; False lets Ctrl-C through.
        on_error: Called with an exception of the user's code before it becomes a finding.
        others: The other ranks that train with this one.
    """
    session = open_session(spec, is_worker=is_worker, on_error=on_error)
    with import_path(str(spec.folder)):
        loading = Loading(session)
        yield from loading.run(spec)
        pipeline = loading.pipeline
        if pipeline is None:
            return
        precision = precision_of(pipeline, session.settings)
        device, note = _device_for(pipeline.model, session.settings.device)
        others = others or NoOtherRanks()
        device = others.own_device(device)
        yield from [Note(note)] if note else []
        options = WatchOptions.from_json(spec.options)
        try:
            yield from WatchedTraining(
                session, pipeline, options, precision, device, others=others
            ).run()
        except UnwatchableError as error:
            yield SpecMistake(spec.file, spec.line_of("model"), str(error))


def _device_for(model: Any, name: str) -> tuple[torch.device, str]:
    """Where to train, and a sentence where that is not as asked for.

    A model that the user's code has put on a device stays there.
    """
    own = next((parameter.device for parameter in model.parameters()), torch.device("cpu"))
    if own.type != "cpu":
        return own, ""
    if has_device(name):
        return pick_device(name), ""
    return torch.device("cpu"), f"this machine has no device {name!r}: the CPU was used."
