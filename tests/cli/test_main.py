import sys

import pytest

import tdebug.cli.app as commands
import tdebug.cli.main as entry
from tdebug.cli.errors import OptionError
from tdebug.pipeline_checks.events import SpecMistake
from tdebug.pipeline_checks.spec import Mistake, SpecError
from tdebug.pipeline_checks.walk import SpecMistakesError


@pytest.fixture
def fail_with(monkeypatch, run_here):
    """Run a command that raises."""

    def run(error, *arguments):
        def app(*_, **__):
            raise error

        monkeypatch.setattr(commands, "app", app)
        return run_here(*arguments)

    return run


def test_every_mistake_of_a_spec_is_a_line_with_its_place(fail_with):
    mistakes = [Mistake("tdebug.yaml", 3, "is bad.", "Mend it."), Mistake("tdebug.yaml", 1, "a.")]
    result = fail_with(SpecError(mistakes))
    assert (result.code, result.out) == (2, "")
    assert result.err == "tdebug.yaml:1: a.\ntdebug.yaml:3: is bad. Mend it.\n"


def test_what_the_spec_names_and_is_not_there_is_a_line_with_its_place(fail_with):
    result = fail_with(SpecMistakesError([SpecMistake("tdebug.yaml", 3, "no module 'x'.")]))
    assert result.code == 2
    assert result.err == "tdebug.yaml:3: no module 'x'.\n"


def test_an_option_that_cannot_be_used_is_a_sentence(fail_with):
    result = fail_with(OptionError("--output", "is bad.", "Mend it."))
    assert (result.code, result.err) == (2, "--output: is bad. Mend it.\n")


def test_a_fault_of_tdebug_is_a_sentence_that_names_the_place(fail_with):
    result = fail_with(KeyError("x"))
    assert result.code == 2
    assert result.err.startswith("tdebug failed: KeyError: 'x' (")
    assert f"{__file__}:" in result.err
    assert "Traceback" not in result.err
    assert "--traceback" in result.err


def test_the_last_line_of_a_long_text_is_not_lost(fail_with):
    result = fail_with(RuntimeError("tdebug failed in the worker.\nTraceback:\n  a\nKeyError: 3"))
    assert "RuntimeError: tdebug failed in the worker. KeyError: 3 (" in result.err


def test_all_frames_are_shown_on_demand(fail_with):
    result = fail_with(OptionError("--output", "is bad."), "--traceback")
    assert result.code == 2
    assert "Traceback (most recent call last)" in result.err


def test_an_interrupt_is_130(fail_with):
    result = fail_with(KeyboardInterrupt())
    assert (result.code, result.out, result.err) == (130, "", "")


def test_user_text_in_a_mistake_does_not_act_on_the_terminal(fail_with):
    assert "\x1b" not in fail_with(OptionError("\x1b[31m", "is bad.")).err


@pytest.mark.parametrize("arguments", [["nonsense"], ["check", "--nonsense"], ["explain"]])
def test_a_command_line_that_makes_no_sense_is_2(run_here, arguments):
    result = run_here(*arguments)
    assert (result.code, result.out) == (2, "")
    assert "Usage: tdebug" in result.err


def test_the_arguments_of_the_process_are_the_default(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tdebug", "--version"])
    assert entry.main() == 0
    assert capsys.readouterr().out.startswith("tdebug ")
