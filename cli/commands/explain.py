"""`tdebug explain`: what a finding means, why it matters, how to fix it."""

from __future__ import annotations

from typing import Annotated

import typer

from ..options import ColorOption, TracebackOption  # noqa: TC001 - typer reads the annotations


def explain(
    check: Annotated[
        str, typer.Argument(metavar="CODE|NAME", help="TD104, or labels-out-of-range.")
    ],
    *,
    color: ColorOption = None,
    traceback: TracebackOption = False,  # noqa: ARG001 - read by `main`
) -> None:
    """Tell what a check looks for, why it matters, and how to fix what it finds."""
    from ...pipeline_checks.reporters.explanation import render_explanation  # noqa: PLC0415 - heavy
    from ..check_names import require_check  # noqa: PLC0415 - heavy
    from ..stdout import look_of_stdout, write_to_stdout  # noqa: PLC0415 - heavy

    known = require_check(check)
    write_to_stdout(render_explanation(known, look_of_stdout(color=color)))
