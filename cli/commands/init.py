"""`tdebug init`: a spec to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options import TracebackOption  # noqa: TC001 - typer reads the annotations


def init(
    file: Annotated[str, typer.Argument(help="The file to write.")] = "tdebug.yaml",
    *,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that exists.")] = False,
    traceback: TracebackOption = False,  # noqa: ARG001 - read by `main`
) -> None:
    """Write a commented tdebug.yaml to start from."""
    from ...pipeline_checks.spec import write_template  # noqa: PLC0415 - heavy
    from ..stderr import say  # noqa: PLC0415 - heavy

    write_template(Path(file), force=force)
    say(f"{file} is written: name your parts in it, then `tdebug check {file}`.")
