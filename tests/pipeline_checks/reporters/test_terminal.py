import re

import pytest

from tdebug.pipeline_checks.report import Location, Report, Severity, Stage
from tdebug.pipeline_checks.reporters.look import Look
from tdebug.pipeline_checks.reporters.terminal import render_terminal

COUNTS = {Severity.ERROR: r"(\d+) errors?\b", Severity.WARNING: r"(\d+) warnings?\b"}


def test_what_is_shown_is_what_was_looked_at(named_report, check_snapshot):
    name, report = named_report
    text = render_terminal(report)
    check_snapshot(text, f"terminal_{name}.txt")
    for finding in report.findings:
        assert f"{finding.code} {finding.name}" in text
    for severity, pattern in COUNTS.items():
        found = re.search(pattern, text.splitlines()[-1])
        assert (int(found[1]) if found else 0) == report.count(severity)


def test_the_first_line_is_the_worst_finding(make_report):
    report = make_report("everything")
    turned = Report(report.target, report.stages, report.checks, report.findings[::-1])
    first = render_terminal(turned).splitlines()[0]
    assert first == "TD104 labels-out-of-range  error  dataset"


def test_the_block_of_a_finding_looks_as_the_design_shows_it(make_report):
    lines = render_terminal(make_report("one_error")).splitlines()
    assert lines[:4] == [
        "TD104 labels-out-of-range  error  dataset",
        "  labels run from 1 to 3, the model has 3 outputs: valid labels are 0 to 2.",
        '  where   dataset[17]["labels"] = 3 (1 of 40 samples; class 0 never occurs)',
        "  hint    the labels look 1-based: subtract 1, or build the model with 4 classes.",
    ]


def test_the_frames_of_an_exception_stand_outermost_first_with_their_code(make_report):
    text = render_terminal(make_report("raised"))
    outer = text.index("train_setup.py:60 in compute_loss")
    inner = text.index("models/net.py:41 in forward")
    assert outer < inner
    assert text.index("loss = model(batch[0]).mean()") in range(outer, inner)


def test_of_a_long_stack_the_two_ends_are_shown(make_report):
    report = make_report("raised")
    frames = tuple(Location("net.py", line, "forward") for line in range(1000))
    finding = report.findings[0].__class__(
        "TD301", "x", Stage.FORWARD, Severity.ERROR, "m", stack=frames
    )
    text = render_terminal(Report("a", findings=(finding,)))
    assert "... 990 frames more ..." in text
    assert "net.py:2 " in text
    assert "net.py:999 " in text
    assert "net.py:500 " not in text


def test_only_the_last_lines_of_the_output_of_the_failed_stage_are_shown(make_report):
    text = render_terminal(make_report("everything"))
    assert "the last 10 of 1000 lines" in text
    assert "reading file 999" in text
    assert "reading file 989" not in text


def test_an_overwritten_progress_bar_and_colours_are_shown_as_a_terminal_would(make_report):
    text = render_terminal(make_report("raised"))
    assert "100%|##| done\n" in text
    assert " 10%" not in text


def test_stages_that_were_skipped_alike_share_a_line(make_report):
    text = render_terminal(make_report("one_error"))
    assert "collate to distributed  skipped: the dataset stage is broken" in text


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("color", [False, True])
def test_no_line_is_wider_than_the_terminal(named_report, width, ascii_only, color):
    text = render_terminal(named_report[1], Look(width, color, ascii_only))
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert max(map(len, plain.splitlines())) <= width


def test_no_line_ends_in_spaces(named_report):
    text = render_terminal(named_report[1])
    assert [line for line in text.splitlines() if line != line.rstrip()] == []


def test_without_unicode_all_is_ascii(named_report):
    assert render_terminal(named_report[1], Look(ascii_only=True)).isascii()


def test_without_colour_there_is_no_escape_code(named_report):
    assert "\x1b" not in render_terminal(named_report[1])


def test_with_colour_only_our_own_codes_are_there(make_report):
    text = render_terminal(make_report("nasty"), Look(color=True))
    assert set(re.findall(r"\x1b.[^m]*.", text)) <= {
        f"\x1b[{code}m" for code in ("0", "2", "1;31", "1;33", "1;34", "1;35", "32", "33", "1")
    }


def test_the_environment_changes_nothing(make_report, monkeypatch):
    before = render_terminal(make_report("everything"), Look(color=True))
    for name, value in {"NO_COLOR": "1", "COLUMNS": "40", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    assert render_terminal(make_report("everything"), Look(color=True)) == before


def test_nothing_of_the_users_text_acts_on_the_terminal(make_report):
    text = render_terminal(make_report("nasty"))
    assert "[bold red]x[/]" in text
    for acting in ("\x1b", "\x9b", "\x7f", "\x00", "\u202e", "\u2066", "\r", "\ud800"):
        assert acting not in text
    text.encode("utf-8")


def test_a_second_line_of_the_users_cannot_pass_for_ours(make_report):
    lines = render_terminal(make_report("nasty")).splitlines()
    assert [line for line in lines if line.startswith("::")] == []
