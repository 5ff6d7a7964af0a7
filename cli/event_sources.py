"""Where the events of a run come from: a worker process, or the stages in this one."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .debugger import stop_in_debugger
from .errors import OptionError
from .launched import find_launched_rank
from .redirection import stdout_to_stderr, with_streams_of_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..pipeline_checks.events import Event
    from ..pipeline_checks.spec import WorkerSpec
    from .launched import LaunchedRank

STAGES_SOURCE = "tdebug.pipeline_checks.stages:run_stages"


def events_of_worker(spec: WorkerSpec, *, nproc: int) -> Iterator[Event]:
    """The events of the stages in a worker process; closing the iterator ends the process.

    Args:
        spec: What to check.
        nproc: How many processes the distributed stage runs in; it is left out where that is 1
            and no launcher has started several.

    Raises:
        OptionError: Not on this system, or a launcher has started several already.
    """
    from ..pipeline_checks import worker  # noqa: PLC0415 - imported only if it is needed

    require_worker("check", "Run it with --in-process.")
    launched = find_joined_rank(nproc)
    if launched is not None:
        return worker.join_ranks(spec, launched.rank)
    return worker.run_in_worker(spec) if nproc == 1 else worker.run_in_ranks(spec, nproc)


def find_joined_rank(nproc: int) -> LaunchedRank | None:
    """The place of this process among those of a launcher; None where nobody has started any.

    Raises:
        OptionError: More processes are asked for than the launcher's.
    """
    launched = find_launched_rank()
    if launched is not None and nproc > 1:
        message = f"a launcher has started {launched.num_ranks} processes already."
        raise OptionError("--nproc", message, "Leave it out.")
    return launched


def require_worker(command: str, remedy: str = "") -> None:
    """Refuse a command that needs a worker where there can be none.

    Raises:
        OptionError: Not on this system.
    """
    if os.name != "posix":
        message = "the worker needs pipes and signals that Windows has not."
        raise OptionError(command, message, remedy)


def events_of_this_process(
    spec: WorkerSpec, *, has_debugger: bool, source: str = STAGES_SOURCE
) -> Iterator[Event]:
    """The events of the stages in this process, with what the user's code prints on stderr.

    Args:
        spec: What to run.
        has_debugger: Whether to stop in the debugger where the user's code raises.
        source: `module:function`, what a worker would run; it takes besides whether it is in one,
            and what is called with an exception of the user's code.
    """
    module, _, name = source.partition(":")
    run: Any = getattr(import_module(module), name)  # imports torch

    def on_error(error: BaseException) -> None:
        stop_in_debugger(error, spec.folder)

    with stdout_to_stderr():
        events = run(spec, is_worker=False, on_error=on_error if has_debugger else None)
        yield from with_streams_of_each(events)
