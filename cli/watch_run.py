"""One watched training, as `tdebug overflow` and `tdebug trace` ask for it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..pipeline_checks.spec import load_spec
from ..pipeline_checks.watching.options import WATCH_SOURCE, WatchOptions
from ..pipeline_checks.watching.watch import watch_training
from ..pipeline_checks.worker import run_in_worker
from .check_run import changed_spec
from .event_sources import require_worker
from .progress import shown_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..pipeline_checks.facts.watching import FramesSeen
    from ..pipeline_checks.spec import Spec
    from ..pipeline_checks.watching.watch import WatchOutcome


@dataclass(frozen=True)
class WatchRun:
    """What the command line asks for.

    Attributes:
        command: `overflow` or `trace`.
        spec: As the user wrote it, None for the default.
        settings: Values for keys of the spec; None where an option was not given.
        options: How the training is watched.
        is_output_shown: Whether to show what the user's code prints.
    """

    command: str
    spec: str | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    options: WatchOptions = field(default_factory=WatchOptions)
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
    """Train in a worker under watch, with progress shown.

    Args:
        run: What is asked for.
        spec: What to train.
        on_frames: Called with the frames of each traced batch as they come.

    Raises:
        SpecMistakesError: The spec names things that are not there.
    """
    require_worker(run.command)
    worker_spec = spec.for_worker()
    # Training may take as long as it likes, unless somebody has set a limit.
    timeout = worker_spec.timeout if "timeout" in worker_spec.given else math.inf
    worker_spec = replace(worker_spec, options=run.options.to_json(), timeout=timeout)
    events = run_in_worker(worker_spec, source=WATCH_SOURCE)
    with shown_progress(is_output_shown=run.is_output_shown, is_live_wanted=True) as watch:
        return watch_training(run.spec or spec.file, events, watch, on_frames)
