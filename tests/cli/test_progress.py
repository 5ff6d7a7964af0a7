import time

from tdebug.cli.output_echo import OutputEcho
from tdebug.cli.progress import ProgressLine, shown_progress
from tdebug.pipeline_checks.events import Note, Output, Progress, StageBegan
from tdebug.pipeline_checks.report import Stage


def test_the_line_tells_stage_seconds_and_what_is_done():
    line = ProgressLine()
    line.take(StageBegan(Stage.DATASET))
    assert str(line) == "dataset  0 s"
    line.take(Progress(Stage.DATASET, "dataset[17]", 18, 256))
    assert str(line) == "dataset  0 s  dataset[17] (18 of 256)"
    line.take(Progress(Stage.DATASET, "dataset[18]", 19))
    assert str(line) == "dataset  0 s  dataset[18] (19)"
    line.take(Note("nothing of it is shown"))
    line.take(Progress(Stage.FORWARD, "layers.1.wo"))
    assert str(line) == "forward  0 s  layers.1.wo"


def test_user_text_in_the_line_does_not_act_on_the_terminal():
    line = ProgressLine(ascii_only=True)
    line.take(Progress(Stage.FORWARD, "\x1b[2J\nü"))
    assert str(line) == "forward  0 s  \\x1b[2J \\xfc"


def test_where_stderr_is_no_terminal_nothing_is_written(capsys):
    with shown_progress(is_output_shown=False, is_live_wanted=True) as watch:
        watch(Progress(Stage.DATASET, "dataset[17]"))
        watch(Output(Stage.DATASET, "hello\n"))
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_what_the_user_prints_is_shown_on_demand_line_by_line(capsys):
    with shown_progress(is_output_shown=True, is_live_wanted=True) as watch:
        watch(Output(Stage.DATASET, "hel"))
        assert capsys.readouterr().err == ""
        watch(Output(Stage.DATASET, "lo\nwor"))
        assert capsys.readouterr().err == "hello\n"
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "wor\n")


def test_an_echo_shows_each_line_once():
    lines = []
    echo = OutputEcho(lines.append)
    for piece in ("a", "\n\x1b[31mb\x1b[0m\nc", "", "\n"):
        echo.take(piece)
    echo.finish()
    assert lines == ["a", "b", "c"]


PROGRAM = """
import sys, time
from tdebug.cli.progress import shown_progress
from tdebug.pipeline_checks.events import Output, Progress
from tdebug.pipeline_checks.report import Stage
with shown_progress(is_output_shown=True, is_live_wanted=True) as watch:
    watch(Progress(Stage.DATASET, "[red]" + "x" * 500, 1, 2))
    time.sleep(0.4)
    watch(Output(Stage.DATASET, "printed [bold]\\n"))
    time.sleep(0.3)
sys.stdout.write("THE REPORT")
"""


def test_on_a_terminal_the_line_is_one_line_and_is_gone_afterwards(run_on_terminal):
    result = run_on_terminal(program=PROGRAM)
    assert result.code == 0
    assert "dataset" in result.text
    assert "[red]x" in result.text
    assert "printed [bold]" in result.text
    assert result.screen() == ["printed [bold]", "THE REPORT"]
    assert result.text.rindex("\x1b[?25h") > result.text.rindex("\x1b[?25l")


def test_a_line_of_progress_refreshes_by_itself():
    line = ProgressLine()
    time.sleep(1.0)
    assert str(line) == "load  1 s  starting"
