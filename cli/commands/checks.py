"""`tdebug checks`: the list of checks."""

from __future__ import annotations

from typing import Annotated

import typer

from ..options import ColorOption, TracebackOption  # noqa: TC001 - typer reads the annotations


def checks(
    *,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Write the reference page, with examples.")
    ] = False,
    color: ColorOption = None,
    traceback: TracebackOption = False,  # noqa: ARG001 - read by `main`
) -> None:
    """List the checks."""
    from ...pipeline_checks.checks import all_checks  # noqa: PLC0415 - heavy
    from ..stdout import look_of_stdout, write_to_stdout  # noqa: PLC0415 - heavy

    if markdown:
        from ...pipeline_checks.reporters.reference import render_reference  # noqa: PLC0415 - heavy

        write_to_stdout(render_reference(all_checks()))
    else:
        from ...pipeline_checks.reporters.listing import render_listing  # noqa: PLC0415 - heavy

        write_to_stdout(render_listing(all_checks(), look_of_stdout(color=color)))
