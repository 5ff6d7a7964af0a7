"""Options that several commands share, as annotations that typer reads."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

RUN, SHOW = "How it is run", "What is shown"


class Level(str, Enum):
    """The values of `--fail-on`: those of `Severity`, which the parser need not import."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class FormatName(str, Enum):
    """The values of `--format`; a test compares them with the formats that there are."""

    TERMINAL = "terminal"
    JSON = "json"
    JUNIT = "junit"
    GITHUB = "github"


SpecArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="SPEC",
        show_default=False,
        help="A tdebug.yaml, a .py file, or module:factory. By default the tdebug.yaml, else the "
        "tool.tdebug table of the pyproject.toml, in this folder.",
    ),
]
FormatOption = Annotated[
    FormatName,
    typer.Option("--format", help="How the report is written.", rich_help_panel=SHOW),
]
OutputOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        show_default=False,
        rich_help_panel=SHOW,
        help="Write the report to a file too; its ending tells the format: .txt, .json, .xml "
        "(JUnit). May be given several times.",
    ),
]
SelectOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CHECKS",
        show_default=False,
        help="Only these checks count: codes, beginnings of codes or names, with commas between. "
        "May be given several times.",
    ),
]
IgnoreOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CHECKS",
        show_default=False,
        help="These checks do not count, in addition to the spec's.",
    ),
]
FailOnOption = Annotated[
    Level, typer.Option(help="The least severity of a finding that makes the exit code 1.")
]
DeviceOption = Annotated[
    str | None,
    typer.Option(help="cpu, cuda, cuda:1, mps or auto.", show_default=False, rich_help_panel=RUN),
]
PrecisionOption = Annotated[
    str | None, typer.Option(help="fp32, bf16 or fp16.", show_default=False, rich_help_panel=RUN)
]
SeedOption = Annotated[
    int | None,
    typer.Option(help="Seeds random, numpy and torch.", show_default=False, rich_help_panel=RUN),
]
SamplesOption = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER|all",
        help="How many samples the dataset stage reads.",
        show_default=False,
        rich_help_panel=RUN,
    ),
]
BudgetOption = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="After these seconds a stage stops reading more.",
        show_default=False,
        rich_help_panel=RUN,
    ),
]
TimeoutOption = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="After these seconds a stage is ended.",
        show_default=False,
        rich_help_panel=RUN,
    ),
]
InProcessOption = Annotated[
    bool,
    typer.Option(
        "--in-process",
        help="Run your code in the process of tdebug itself, not in a worker.",
        rich_help_panel=RUN,
    ),
]
PdbOption = Annotated[
    bool,
    typer.Option(
        "--pdb",
        help="Stop in the debugger where your code raises; means --in-process.",
        rich_help_panel=RUN,
    ),
]
NprocOption = Annotated[
    int, typer.Option(min=1, help="How many processes (ranks) run.", rich_help_panel=RUN)
]
ShowOutputOption = Annotated[
    bool,
    typer.Option(
        "--show-output", help="Show what your code prints, as it does.", rich_help_panel=SHOW
    ),
]
TracebackOption = Annotated[
    bool,
    typer.Option("--traceback", help="If tdebug fails, show all its frames.", rich_help_panel=SHOW),
]
ColorOption = Annotated[
    bool | None,
    typer.Option(
        "--color/--no-color",
        help="Colours or none. By default on a terminal, unless NO_COLOR is set.",
        show_default=False,
        rich_help_panel=SHOW,
    ),
]
