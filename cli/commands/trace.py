"""`tdebug trace`: what every module held in chosen batches."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import options as o
from .. import watch_options as w


def trace(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    spec: o.SpecArgument = None,
    *,
    batches: w.BatchesOption = None,
    abort_after: w.AbortAfterOption = None,
    epochs: w.EpochsOption = 1,
    modules: w.ModulesOption = None,
    top: w.TopOption = None,
    output: w.TraceFileOption = None,
    format_: Annotated[
        w.TraceFormat,
        typer.Option(
            "--format",
            help="How the batches are written; text is the classic one of transformers.",
            rich_help_panel=o.SHOW,
        ),
    ] = w.TraceFormat.TABLE,
    color: o.ColorOption = None,
    show_output: o.ShowOutputOption = False,
    traceback: o.TracebackOption = False,  # noqa: ARG001 - read by `main`, where failures end up
    device: o.DeviceOption = None,
    precision: o.PrecisionOption = None,
    seed: o.SeedOption = None,
    timeout: o.TimeoutOption = None,
    in_process: o.InProcessOption = False,
    pdb: w.PdbOption = False,
) -> None:
    """Train, and show the range of every module's values in chosen batches.

    Smallest and largest magnitude, nan, inf, how near the largest is to the limit of its dtype,
    what float16 would make of it. Nan and inf in a chosen batch stop nothing. One process is
    traced; `tdebug overflow --nproc` tells which of several ranks goes bad first.

    Options after `--` fill the dataclasses that the spec names under `arguments`.

    Exit code: 0, or 1 if another batch had nan or inf or the pipeline fails, 2 tdebug could not do
    its work, 130 interrupted.
    """
    from ..first_line import show_first_line  # noqa: PLC0415 - before all that takes time

    show_first_line(spec)

    from ..stdout import look_of_stdout, write_to_stdout  # noqa: PLC0415 - heavy
    from ..trace_options import trace_options  # noqa: PLC0415 - heavy
    from ..trace_output import TraceOutput  # noqa: PLC0415 - heavy
    from ..watch_run import WatchRun, run_watch  # noqa: PLC0415 - heavy

    settings = {"device": device, "precision": precision, "seed": seed, "timeout": timeout}
    read = WatchRun("trace", spec, settings).read_spec()
    options = trace_options(read.trace, batches, abort_after, epochs, modules or [])
    run = WatchRun(
        "trace",
        spec,
        settings,
        options,
        is_in_process=in_process or pdb,
        has_debugger=pdb,
        overrides=context.obj or (),
        is_output_shown=show_output,
    )
    look = look_of_stdout(color=color)
    with TraceOutput(format_.value, look, top=top, file=output) as sink:
        outcome = run_watch(run, read, sink.take)
    write_to_stdout(sink.text(outcome, options))
    raise typer.Exit(outcome.exit_code)
