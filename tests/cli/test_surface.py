"""What people type, frozen: the names of commands and options."""

import typer

from tdebug.cli.app import app
from tdebug.cli.options import FormatName, Level
from tdebug.pipeline_checks.report import Severity
from tdebug.pipeline_checks.reporters.formats import FORMAT_NAMES

COMMANDS = typer.main.get_command(app).commands
OPTIONS = {
    "check": "spec --select --ignore --fail-on --format --output --color --no-color --show-output "
    "--traceback --device --precision --seed --samples --budget --timeout --nproc --in-process "
    "--pdb",
    "overflow": "spec --max-batches --epochs --max-frames --format --color --no-color "
    "--show-output --traceback --device --precision --seed --timeout --nproc --in-process --pdb",
    "trace": "spec --batches --abort-after --epochs --modules --top --output --format --color "
    "--no-color --show-output --traceback --device --precision --seed --timeout --in-process "
    "--pdb",
    "diff": "first second --tolerance --color --no-color --traceback",
    "explain": "check --color --no-color --traceback",
    "checks": "--markdown --color --no-color --traceback",
    "init": "file --force --traceback",
    "schema": "--traceback",
}


def names_of(command):
    return {name for option in command.params for name in (*option.opts, *option.secondary_opts)}


def test_the_commands_and_options_are_there():
    for name, options in OPTIONS.items():
        assert names_of(COMMANDS[name]) == set(options.split())


def test_the_formats_offered_are_those_that_there_are():
    assert tuple(name.value for name in FormatName) == FORMAT_NAMES


def test_the_levels_offered_are_the_severities():
    assert [level.value for level in Level] == [severity.value for severity in Severity]


def test_every_command_and_every_option_says_what_it_does():
    for command in COMMANDS.values():
        assert command.help.endswith(".")
        for option in command.params:
            assert getattr(option, "help", None), (command.name, option.name)
