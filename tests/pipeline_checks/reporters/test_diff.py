from dataclasses import replace

from tdebug.pipeline_checks.facts.watching import DiffFacts
from tdebug.pipeline_checks.reporters.diff import differ, render_diff
from tdebug.pipeline_checks.reporters.look import Look

from . import watched as w


def test_what_is_shown_is_what_was_looked_at(check_snapshot):
    text = render_diff(w.DIFFERENCES, "old.jsonl", "new.jsonl")

    check_snapshot(text, "diff.txt")
    assert text.splitlines()[0] == "the traces part at the output of 'h.0.mlp'"
    assert text.splitlines()[-1] == "old.jsonl and new.jsonl: 23 of 310 values differ"
    assert "... and 3 more" in text
    assert "only new.jsonl has lm_head." in text


def test_it_fits_80_columns():
    text = render_diff(w.DIFFERENCES, "old.jsonl", "new.jsonl", Look(width=80, ascii_only=True))

    assert max(map(len, text.splitlines())) <= 80
    assert text.isascii()


def test_traces_that_agree_are_one_line():
    agreeing = DiffFacts(num_compared=12)

    assert not differ(agreeing)
    assert render_diff(agreeing, "a", "b") == "a and b: all 12 values agree\n"


def test_other_modules_are_a_difference_too():
    other = replace(DiffFacts(num_compared=12), only_first=("head",))

    assert differ(other)
    assert "but the modules are not the same" in render_diff(other, "a", "b")
