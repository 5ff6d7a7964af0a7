"""`tdebug check`: walk the pipeline and say what is wrong."""

from __future__ import annotations

import typer

from .. import options as o


def check(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    spec: o.SpecArgument = None,
    *,
    select: o.SelectOption = None,
    ignore: o.IgnoreOption = None,
    fail_on: o.FailOnOption = o.Level.ERROR,
    format_: o.FormatOption = o.FormatName.TERMINAL,
    output: o.OutputOption = None,
    color: o.ColorOption = None,
    show_output: o.ShowOutputOption = False,
    traceback: o.TracebackOption = False,  # noqa: ARG001 - read by `main`, where failures end up
    device: o.DeviceOption = None,
    precision: o.PrecisionOption = None,
    seed: o.SeedOption = None,
    samples: o.SamplesOption = None,
    budget: o.BudgetOption = None,
    timeout: o.TimeoutOption = None,
    nproc: o.NprocOption = 1,
    in_process: o.InProcessOption = False,
    pdb: o.PdbOption = False,
) -> None:
    """Walk the pipeline stage by stage, stop at the first that is broken, and say what is wrong.

    Options after `--` fill the dataclasses that the spec names under `arguments`:
    `tdebug check spec.yaml -- --learning_rate 1e-4`.

    Exit code: 0 nothing at or above --fail-on, 1 findings, 2 tdebug could not do its work, 130
    interrupted.
    """
    from ..first_line import show_first_line  # noqa: PLC0415 - before all that takes time

    show_first_line(spec)

    from ..check_run import CheckRun, run_check  # noqa: PLC0415 - heavy
    from ..delivery import Delivery  # noqa: PLC0415 - heavy
    from ..launched import find_launched_rank  # noqa: PLC0415 - after the first line

    delivery = Delivery.plan(format_.value, output or [], color=color, fail_on=fail_on.value)
    report = run_check(
        CheckRun(
            spec=spec,
            settings={
                "device": device,
                "precision": precision,
                "seed": seed,
                "samples": samples,
                "budget": budget,
                "timeout": timeout,
            },
            select=tuple(select or ()),
            ignore=tuple(ignore or ()),
            nproc=nproc,
            is_in_process=in_process or pdb,
            has_debugger=pdb,
            overrides=context.obj or (),
            is_output_shown=show_output,
        )
    )
    launched = find_launched_rank()
    if launched is not None and not launched.reports:
        raise typer.Exit
    delivery.deliver(report)
    raise typer.Exit(report.exit_code(delivery.look.fail_on))
