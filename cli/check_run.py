"""One run of the checks, as the command line asks for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..pipeline_checks.spec import load_spec
from ..pipeline_checks.two_devices import walk_on_both
from .check_names import choose_checks
from .errors import OptionError
from .event_sources import events_of_this_process, events_of_worker
from .progress import shown_progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..pipeline_checks.events import Event
    from ..pipeline_checks.report import Report
    from ..pipeline_checks.spec import Spec, WorkerSpec


@dataclass(frozen=True)
class CheckRun:
    """What the command line asks for.

    Attributes:
        spec: As the user wrote it, None for the default.
        settings: Values for keys of the spec; None where an option was not given.
        select: The values of `--select`.
        ignore: The values of `--ignore`.
        nproc: Number of processes (ranks).
        is_in_process: Whether the user's code runs in this process.
        has_debugger: Whether to stop in the debugger where the user's code raises.
        is_output_shown: Whether to show what the user's code prints.
        overrides: The options after `--`.
    """

    spec: str | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    nproc: int = 1
    is_in_process: bool = False
    has_debugger: bool = False
    is_output_shown: bool = False
    overrides: tuple[str, ...] = ()


def run_check(run: CheckRun) -> Report:
    """Load the spec, walk the stages with progress shown, and report.

    Raises:
        SpecError: The spec or an option has mistakes.
        SpecMistakesError: The spec names things that are not there.
    """
    spec = changed_spec(load_spec(run.spec), run.settings)
    choice = choose_checks(spec, run.select, run.ignore)
    for_worker = spec_for_worker(spec, run.overrides)

    def make_events(is_on_device: bool) -> Iterator[Event]:  # noqa: FBT001 - the one argument
        options = {**for_worker.options, "on_device": is_on_device}
        return _events(run, replace(for_worker, options=options))

    refuse_processes_in_one(run.nproc, is_in_process=run.is_in_process)
    with shown_progress(
        is_output_shown=run.is_output_shown, is_live_wanted=not run.has_debugger
    ) as watch:
        return walk_on_both(run.spec or spec.file, make_events, choice, watch)


def changed_spec(spec: Spec, settings: Mapping[str, object]) -> Spec:
    """The spec with the values of the options that were given."""
    given = {key: _number(value) for key, value in settings.items() if value is not None}
    return spec.changed(given) if given else spec


def _number(value: object) -> object:
    """`256` as a number; `all`, and what is wrong, as it is."""
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def spec_for_worker(spec: Spec, overrides: tuple[str, ...]) -> WorkerSpec:
    """The spec with the options after `--`.

    Raises:
        OptionError: The spec names no dataclasses that they would fill.
    """
    if overrides and not spec.arguments:
        shown = " ".join(overrides)
        message = f"{shown!r} would fill the dataclasses of the spec, and it names none."
        raise OptionError("--", message, "Name them under `arguments`.")
    return replace(spec.for_worker(), overrides=overrides)


def refuse_processes_in_one(nproc: int, *, is_in_process: bool) -> None:
    """Refuse several processes where all is to run in this one.

    Raises:
        OptionError: Both are asked for.
    """
    if is_in_process and nproc > 1:
        message = f"{nproc} processes cannot be this one."
        raise OptionError("--nproc", message, "Leave out --in-process and --pdb.")


def _events(run: CheckRun, spec: WorkerSpec) -> Iterator[Event]:
    if run.is_in_process:
        return events_of_this_process(spec, has_debugger=run.has_debugger)
    return events_of_worker(spec, nproc=run.nproc)
