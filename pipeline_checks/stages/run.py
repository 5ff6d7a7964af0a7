"""Run the stages one after the other, on what a spec names or on live parts."""

from __future__ import annotations

import os
import platform
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..events import Event, Note, Observed, StageEnded
from ..facts import SetupFacts
from ..observe.preserve import preserved
from ..observe.uncompiled import uncompiled
from ..observe.user_code import UserCode
from ..pipeline.lightning_trainer import attached_as_found
from ..report import Stage
from ..session import Session
from .collate import Collating
from .dataset import read_samples
from .device import choose_device, moved
from .evaluate import Evaluating
from .load import Loading
from .sections import SectionLoop
from .settings import precision_of, settings_of_pipeline, settings_of_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..pipeline.parts import Pipeline
    from ..session import Settings
    from ..spec import WorkerSpec

ONE_PROCESS = "there is one process (--nproc starts several)"
PACKAGES = ("torch", "transformers", "datasets", "accelerate", "lightning", "numpy")


def run_stages(
    spec: WorkerSpec,
    *,
    is_worker: bool = True,
    on_error: Callable[[BaseException], None] | None = None,
    has_ranks: bool = False,
) -> Iterator[Event]:
    """Run the stages on the pipeline that the spec names.

    Args:
        spec: What to check.
        is_worker: True in a process of its own; False lets Ctrl-C through.
        on_error: Called with an exception of the user's code before it becomes a finding.
        has_ranks: Whether several processes follow, whose evaluation is compared with this one's.
    """
    session = open_session(spec, is_worker=is_worker, on_error=on_error)
    session.has_ranks = has_ranks
    with import_path(str(spec.folder)):
        loading = Loading(session)
        yield from loading.run(spec)
        if loading.pipeline is not None:
            yield from _after_load(session, loading.pipeline)


def open_session(
    spec: WorkerSpec,
    *,
    is_worker: bool = True,
    on_error: Callable[[BaseException], None] | None = None,
) -> Session:
    """What the stages of this spec share."""
    folders = (os.path.realpath(spec.folder), os.path.realpath(Path.cwd()))
    code = UserCode(tuple(dict.fromkeys(folders)))
    on_device = bool(spec.options.get("on_device")) or not is_worker
    return Session(settings_of_spec(spec), code, is_worker, on_error, is_on_device=on_device)


def check_live(pipeline: Pipeline, settings: Settings | None = None) -> Iterator[Event]:
    """Run the stages on live parts, which are left as they were found."""
    session = Session(settings or settings_of_pipeline(pipeline), is_on_device=True)
    loading = Loading(session)
    with attached_as_found(pipeline):
        yield from loading.run_live(pipeline)
        if loading.pipeline is None:
            return
        schedulers = (*pipeline.schedulers, pipeline.scaler)
        others = [thing for thing in schedulers if hasattr(thing, "load_state_dict")]
        model: Any = pipeline.model
        with preserved(model, pipeline.optimizers, others):
            yield from _after_load(session, pipeline)


def _after_load(session: Session, pipeline: Pipeline) -> Iterator[Event]:
    yield from read_samples(session, pipeline)
    collating = Collating(session, pipeline)
    yield from collating.run()
    batches = collating.kept
    device, wanted, because = choose_device(session, pipeline.model)
    if because:
        yield Note(because)
    yield Observed(_setup(str(device), wanted))
    if device.type != "cpu" and pipeline.model is not None:
        pipeline.model.to(device)
        batches = [(draw, moved(batch, device)) for draw, batch in batches]
    precision = precision_of(pipeline, session.settings)
    loop = SectionLoop(session, pipeline, batches, precision)
    with uncompiled():
        yield from loop.run()
        yield from Evaluating(session, pipeline, loop.style, precision, str(device)).run()
    if not session.has_ranks:
        yield StageEnded(Stage.DISTRIBUTED, skipped_because=ONE_PROCESS)


def _setup(device: str, wanted: str) -> SetupFacts:
    """The device, and the versions of what the pipeline has imported."""
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            versions[name] = str(version)
    return SetupFacts(device, versions, wanted)


@contextmanager
def import_path(folder: str) -> Iterator[None]:
    """The folder of the spec first on `sys.path`, the current folder last."""
    before = list(sys.path)
    sys.path[:] = [folder, *(p for p in before if p not in {"", folder}), str(Path.cwd())]
    try:
        yield
    finally:
        sys.path[:] = before
