"""Run the stages one after the other, on what a spec names or on live parts."""

from __future__ import annotations

import os
import platform
import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..events import Event, Observed
from ..facts import SetupFacts
from ..observe.preserve import preserved
from ..observe.user_code import UserCode
from ..session import Session, Settings
from .collate import Collating
from .dataset import read_samples
from .device import moved, pick_device
from .load import Loading
from .training import TrainingLoop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..pipeline.parts import Pipeline
    from ..spec import WorkerSpec

PACKAGES = ("torch", "transformers", "datasets", "accelerate", "lightning", "numpy")


def run_stages(
    spec: WorkerSpec,
    *,
    is_worker: bool = True,
    on_error: Callable[[BaseException], None] | None = None,
) -> Iterator[Event]:
    """Run the stages on the pipeline that the spec names.

    Args:
        spec: What to check.
        is_worker: True in a process of its own; False lets Ctrl-C through.
        on_error: Called with an exception of the user's code before it becomes a finding.
    """
    folders = (os.path.realpath(spec.folder), os.path.realpath(os.getcwd()))  # noqa: PTH109
    code = UserCode(tuple(dict.fromkeys(folders)))
    session = Session(_settings(spec), code, is_worker, on_error)
    with _import_path(str(spec.folder)):
        loading = Loading(session)
        yield from loading.run(spec)
        if loading.pipeline is not None:
            session.settings = _settings(loading.spec or spec)
            precision = loading.precision_of(loading.pipeline)
            yield from _after_load(session, loading.pipeline, precision)


def check_live(pipeline: Pipeline, settings: Settings | None = None) -> Iterator[Event]:
    """Run the stages on live parts, which are left as they were found."""
    session = Session(settings or _live_settings(pipeline))
    loading = Loading(session)
    yield from loading.run_live(pipeline)
    if loading.pipeline is None:
        return
    others = [t for t in (*pipeline.schedulers, pipeline.scaler) if hasattr(t, "load_state_dict")]
    model: Any = pipeline.model
    with preserved(model, pipeline.optimizers, others):
        yield from _after_load(session, pipeline, loading.precision_of(pipeline))


def _live_settings(pipeline: Pipeline) -> Settings:
    known = {k: v for k, v in pipeline.settings.items() if k in Settings.__dataclass_fields__}
    return replace(Settings(is_batch_size_given="batch_size" in known), **known)


def _after_load(session: Session, pipeline: Pipeline, precision: str) -> Iterator[Event]:
    yield from read_samples(session, pipeline)
    collating = Collating(session, pipeline)
    yield from collating.run()
    batches = collating.kept
    device = pick_device(session.settings.device)
    yield Observed(_setup(str(device)))
    if device.type != "cpu" and pipeline.model is not None:
        pipeline.model.to(device)
        batches = [(draw, moved(batch, device)) for draw, batch in batches]
    loop = TrainingLoop(session, pipeline, batches, precision)
    yield from loop.run()


def _setup(device: str) -> SetupFacts:
    """The device, and the versions of what the pipeline has imported."""
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            versions[name] = str(version)
    return SetupFacts(device, versions)


def _settings(spec: WorkerSpec) -> Settings:
    loader = spec.loader
    return Settings(
        batch_size=loader.batch_size,
        shuffle=loader.shuffle,
        num_workers=loader.num_workers,
        drop_last=loader.drop_last,
        device=spec.device,
        precision=spec.precision if "precision" in spec.given else None,
        seed=spec.seed,
        samples=None if spec.samples == "all" else int(spec.samples),
        budget=spec.budget,
        is_batch_size_given="loader.batch_size" in spec.given,
    )


@contextmanager
def _import_path(folder: str) -> Iterator[None]:
    """The folder of the spec first on `sys.path`, the current folder last."""
    before = list(sys.path)
    sys.path[:] = [folder, *(p for p in before if p not in {"", folder}), os.getcwd()]  # noqa: PTH109
    try:
        yield
    finally:
        sys.path[:] = before
