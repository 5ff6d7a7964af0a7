"""Options of the commands that train, as annotations that typer reads."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from .options import RUN


class OverflowFormat(str, Enum):
    """The values of `--format` of `tdebug overflow`."""

    TERMINAL = "terminal"
    TEXT = "text"
    JSON = "json"


class TraceFormat(str, Enum):
    """The values of `--format` of `tdebug trace`."""

    TABLE = "table"
    TEXT = "text"
    JSONL = "jsonl"


MaxBatchesOption = Annotated[
    int | None,
    typer.Option(min=1, help="Train on at most this many batches.", show_default=False),
]
EpochsOption = Annotated[int, typer.Option(min=1, help="Passes over the data.")]
MaxFramesOption = Annotated[
    int, typer.Option(min=1, help="How many of the last frames a nan or inf is shown with.")
]
NprocOption = Annotated[
    int,
    typer.Option(
        min=1,
        help="How many processes (ranks) train together, each on its part of the data.",
        rich_help_panel=RUN,
    ),
]
PdbOption = Annotated[
    bool,
    typer.Option(
        "--pdb",
        help="Stop in the debugger where a nan or inf shows or your code raises; means "
        "--in-process.",
        rich_help_panel=RUN,
    ),
]
BatchesOption = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBERS",
        help="Which batches, counted from 0: 1,3 or 0-5 or 10-100:10. By default those of the "
        "spec, else 0.",
        show_default=False,
    ),
]
AbortAfterOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="NUMBER",
        help="End after this batch. By default after the last one that is traced.",
        show_default=False,
    ),
]
ModulesOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATTERN",
        help="Only modules of these names: encoder.*, *.wo. May be given several times.",
        show_default=False,
    ),
]
TopOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="NUMBER",
        help="Show only this many values of a batch, those nearest to the limit of their dtype.",
        show_default=False,
    ),
]
TraceFileOption = Annotated[
    str | None,
    typer.Option(
        "--output",
        metavar="FILE",
        help="Write all frames to a file as JSON lines, as they come.",
        show_default=False,
    ),
]
