"""One watched training, as `tdebug overflow` and `tdebug trace` ask for it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..pipeline_checks.spec import load_spec
from ..pipeline_checks.watching.options import WATCH_SOURCE, WatchOptions
from ..pipeline_checks.watching.watch import watch_training
from .check_run import changed_spec, refuse_processes_in_one, spec_for_worker
from .errors import OptionError
from .event_sources import events_of_this_process, find_joined_rank, require_worker
from .progress import shown_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..pipeline_checks.events import Event
    from ..pipeline_checks.facts.watching import FramesSeen
    from ..pipeline_checks.spec import Spec, WorkerSpec
    from ..pipeline_checks.watching.watch import WatchOutcome


@dataclass(frozen=True)
class WatchRun:
    """What the command line asks for.

    Attributes:
        command: `overflow` or `trace`.
        spec: As the user wrote it, None for the default.
        settings: Values for keys of the spec; None where an option was not given.
        options: How the training is watched.
        nproc: Number of processes (ranks) that train together.
        is_in_process: Whether the user's code runs in this process.
        has_debugger: Whether to stop in the debugger where a nan or inf shows or code raises.
        overrides: The options after `--`.
        is_output_shown: Whether to show what the user's code prints.
    """

    command: str
    spec: str | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    options: WatchOptions = field(default_factory=WatchOptions)
    nproc: int = 1
    is_in_process: bool = False
    has_debugger: bool = False
    overrides: tuple[str, ...] = ()
    is_output_shown: bool = False

    def read_spec(self) -> Spec:
        """The spec with the values of the options that were given.

        Raises:
            SpecError: The spec or an option has mistakes.
        """
        return changed_spec(load_spec(self.spec), self.settings)


def run_watch(
    run: WatchRun, spec: Spec, on_frames: Callable[[FramesSeen], None] | None = None
) -> WatchOutcome:
    """Train under watch, in a worker unless this process is asked for, with progress shown.

    Args:
        run: What is asked for.
        spec: What to train.
        on_frames: Called with the frames of each traced batch as they come.

    Raises:
        SpecMistakesError: The spec names things that are not there.
        OptionError: The options cannot be had together, or not on this system.
    """
    refuse_processes_in_one(run.nproc, is_in_process=run.is_in_process)
    worker_spec = spec_for_worker(spec, run.overrides)
    # Training may take as long as it likes, unless somebody has set a limit.
    timeout = worker_spec.timeout if "timeout" in worker_spec.given else math.inf
    worker_spec = replace(worker_spec, options=run.options.to_json(), timeout=timeout)
    events = _events(run, worker_spec)
    with shown_progress(
        is_output_shown=run.is_output_shown, is_live_wanted=not run.has_debugger
    ) as watch:
        return watch_training(run.spec or spec.file, events, watch, on_frames)


def _events(run: WatchRun, spec: WorkerSpec) -> Iterator[Event]:
    if run.is_in_process:
        return events_of_this_process(spec, has_debugger=run.has_debugger, source=WATCH_SOURCE)
    require_worker(run.command, "Run it with --in-process.")
    from ..pipeline_checks.watching.watch_ranks import (  # noqa: PLC0415 - needs Unix
        join_watched_ranks,
        train_in_ranks,
    )
    from ..pipeline_checks.worker import run_in_worker  # noqa: PLC0415 - likewise

    launched = find_joined_rank(run.nproc)
    if launched is not None and run.options.batches:
        message = f"a launcher has started {launched.num_ranks} processes, and one is traced."
        raise OptionError(run.command, message, "Start it without the launcher.")
    if launched is not None:
        return join_watched_ranks(spec, launched.rank)
    if run.nproc > 1:
        return train_in_ranks(spec, run.nproc)
    return run_in_worker(spec, source=WATCH_SOURCE)
