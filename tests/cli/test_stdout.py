import io
import subprocess
import sys

import pytest

from tdebug.cli.stdout import look_of_stdout, write_to_stdout


class Terminal(io.TextIOWrapper):
    def __init__(self, encoding="utf-8"):
        super().__init__(io.BytesIO(), encoding=encoding)

    def isatty(self):
        return True


@pytest.fixture
def use_terminal(monkeypatch):
    """Make standard output a terminal; pytest's own capture replaces it before the test begins."""

    def use(encoding="utf-8", **environment):
        stream = Terminal(encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        for name in ("NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"TERM": "xterm", **environment}.items():
            monkeypatch.setenv(name, value)
        return stream

    return use


def test_a_terminal_gets_colour(use_terminal):
    use_terminal()
    assert look_of_stdout().color is True


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_the_environment_can_ask_for_none(use_terminal, name, value):
    use_terminal(**{name: value})
    assert look_of_stdout().color is False
    assert look_of_stdout(color=True).color is True


def test_an_empty_no_color_asks_for_nothing(use_terminal):
    use_terminal(NO_COLOR="")
    assert look_of_stdout().color is True


def test_a_file_gets_no_colour_unless_it_is_asked_for(capsys, monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert look_of_stdout().color is False
    assert look_of_stdout(color=True).color is True
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert look_of_stdout().color is True
    assert look_of_stdout(color=False).color is False


def test_a_file_is_a_hundred_columns_wide(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert look_of_stdout().width == 100


@pytest.mark.parametrize(("columns", "width"), [(80, 80), (120, 120), (400, 120), (0, 100)])
def test_a_terminal_is_as_wide_as_it_is_but_lines_stay_readable(
    use_terminal, monkeypatch, columns, width
):
    terminal = use_terminal()
    size = type("Size", (), {"columns": columns})
    monkeypatch.setattr(terminal, "fileno", lambda: 1)
    monkeypatch.setattr("os.get_terminal_size", lambda _: size)
    assert look_of_stdout().width == width


def test_without_unicode_only_ascii_is_written(use_terminal):
    stream = use_terminal("ascii")
    assert look_of_stdout().ascii_only is True
    write_to_stdout("größer\n")
    assert stream.buffer.getvalue() == b"gr\\xf6\\xdfer\n"


def test_a_reader_that_has_left_is_no_error():
    code = (
        "from tdebug.cli.stdout import write_to_stdout; import sys\n"
        "for _ in range(100): write_to_stdout('x' * 100_000)\n"
        "sys.exit(7)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 7
