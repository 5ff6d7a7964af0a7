"""The commands: each is a file in `commands` and one line here."""

from __future__ import annotations

from typing import Annotated

import typer

from .commands.check import check
from .commands.checks import checks
from .commands.diff import diff
from .commands.explain import explain
from .commands.init import init
from .commands.overflow import overflow
from .commands.schema import schema
from .commands.trace import trace

app = typer.Typer(
    help="Finds out why a PyTorch training pipeline does not train.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(check)
app.command()(overflow)
app.command()(trace)
app.command()(diff)
app.command()(explain)
app.command()(checks)
app.command()(init)
app.command()(schema)


def _show_version(*, asked: bool) -> None:
    if asked:
        from importlib.metadata import version  # noqa: PLC0415 - only this option needs it

        typer.echo(f"tdebug {version('tdebug')}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Finds out why a PyTorch training pipeline does not train."""
