"""Run the stages of a spec in a worker."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..spec.worker_spec import WorkerSpec
from .job import Job
from .listen import Listener
from .process import WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..events import Event
    from ..spec import Spec

STAGES_SOURCE = "tdebug.pipeline_checks.stages:run_stages"


def run_in_worker(
    spec: Spec | WorkerSpec, *, source: str = STAGES_SOURCE, device: str | None = None
) -> Iterator[Event]:
    """Run the stages in a process of their own and yield what they tell.

    Asking for the event after a `StageEnded` lets the worker go on; closing the generator ends the
    worker and every process that it started. Whatever the user's code does, the last event is a
    `Death` where the worker did not end by itself. Iterate in one thread: on Linux the worker ends
    with the thread that started it.

    Args:
        spec: What to run, and the limit of each stage (`timeout`, in seconds).
        source: `module:function`, called in the worker with the `WorkerSpec`; a generator function
            of events.
        device: Runs on this device in place of the spec's.

    Raises:
        WorkerCrashError: tdebug itself failed in the worker.
        NotImplementedError: There are no Unix pipes and signals here (Windows).
    """
    worker_spec = spec if isinstance(spec, WorkerSpec) else spec.for_worker()
    if device is not None:
        given = worker_spec.given | {"device"}
        worker_spec = replace(worker_spec, device=device, given=given)
    with WorkerProcess() as worker:
        worker.begin(Job(source, worker_spec))
        yield from Listener(worker, worker_spec.timeout).events()
