"""`tdebug overflow`: train until something is nan or inf, then say where it began."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import options as o
from .. import watch_options as w


def overflow(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    spec: o.SpecArgument = None,
    *,
    max_batches: w.MaxBatchesOption = None,
    epochs: w.EpochsOption = 1,
    max_frames: w.MaxFramesOption = 21,
    format_: Annotated[
        w.OverflowFormat,
        typer.Option(
            "--format",
            help="How the report is written; text is the classic one of transformers.",
            rich_help_panel=o.SHOW,
        ),
    ] = w.OverflowFormat.TERMINAL,
    color: o.ColorOption = None,
    show_output: o.ShowOutputOption = False,
    traceback: o.TracebackOption = False,  # noqa: ARG001 - read by `main`, where failures end up
    device: o.DeviceOption = None,
    precision: o.PrecisionOption = None,
    seed: o.SeedOption = None,
    timeout: o.TimeoutOption = None,
    nproc: w.NprocOption = 1,
    in_process: o.InProcessOption = False,
    pdb: w.PdbOption = False,
) -> None:
    """Train until something is nan or inf, and say where it began: module, operator, line.

    Your own loop body, loss, optimizers, schedulers, precision and GradScaler are used. Nothing is
    saved. Without a timeout, here or in the spec, it takes as long as the data last. With --nproc,
    or under torchrun, the ranks train together, and the report says which one went bad first.

    Options after `--` fill the dataclasses that the spec names under `arguments`.

    Exit code: 0 nothing found, 1 nan or inf, or the pipeline fails, 2 tdebug could not do its work,
    130 interrupted.
    """
    from ..first_line import show_first_line  # noqa: PLC0415 - before all that takes time

    show_first_line(spec)

    from ...pipeline_checks.reporters.overflow import FORMATS  # noqa: PLC0415 - heavy
    from ...pipeline_checks.watching.options import WatchOptions  # noqa: PLC0415 - heavy
    from ..launched import find_launched_rank  # noqa: PLC0415 - after the first line
    from ..stdout import look_of_stdout, write_to_stdout  # noqa: PLC0415 - heavy
    from ..watch_run import WatchRun, run_watch  # noqa: PLC0415 - heavy

    run = WatchRun(
        "overflow",
        spec,
        {"device": device, "precision": precision, "seed": seed, "timeout": timeout},
        WatchOptions(max_batches=max_batches, epochs=epochs, max_frames=max_frames),
        nproc=nproc,
        is_in_process=in_process or pdb,
        has_debugger=pdb,
        overrides=context.obj or (),
        is_output_shown=show_output,
    )
    outcome = run_watch(run, run.read_spec())
    launched = find_launched_rank()
    if launched is not None and not launched.reports:
        raise typer.Exit
    write_to_stdout(FORMATS[format_.value](outcome, look_of_stdout(color=color)))
    raise typer.Exit(outcome.exit_code)
