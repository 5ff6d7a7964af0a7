"""`tdebug diff`: two traces side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import options as o  # noqa: TC001 - typer reads the annotations


def diff(
    first: Annotated[str, typer.Argument(help="A file that `tdebug trace --output` wrote.")],
    second: Annotated[str, typer.Argument(help="Another one.")],
    *,
    tolerance: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Relative difference that is allowed. By default what fits dtypes and depth.",
            show_default=False,
        ),
    ] = None,
    color: o.ColorOption = None,
    traceback: o.TracebackOption = False,  # noqa: ARG001 - read by `main`, where failures end up
) -> None:
    """Compare two traces: the first module where they part, and how many values differ.

    For float32 against bfloat16, CPU against GPU, old against new. Largest magnitudes are compared,
    and whether both are finite.

    Exit code: 0 they agree, 1 they differ, 2 a file cannot be read.
    """
    from ...pipeline_checks.reporters.diff import differ, render_diff  # noqa: PLC0415 - heavy
    from ..diff_run import run_diff  # noqa: PLC0415 - heavy
    from ..stdout import look_of_stdout, write_to_stdout  # noqa: PLC0415 - heavy

    facts = run_diff(first, second, tolerance)
    write_to_stdout(render_diff(facts, first, second, look_of_stdout(color=color)))
    raise typer.Exit(int(differ(facts)))
