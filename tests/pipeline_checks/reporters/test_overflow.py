import json

import pytest

from tdebug.pipeline_checks.report import Finding, Severity, Stage
from tdebug.pipeline_checks.reporters.look import Look
from tdebug.pipeline_checks.reporters.overflow import (
    render_overflow,
    render_overflow_json,
    render_overflow_text,
)

from . import watched as w


@pytest.mark.parametrize("name", sorted(w.OUTCOMES))
def test_what_is_shown_is_what_was_looked_at(name, check_snapshot):
    text = render_overflow(w.OUTCOMES[name]())

    check_snapshot(text, f"overflow_{name}.txt")
    assert all(len(line) <= 100 for line in text.splitlines())
    assert "\x1b" not in text


def test_the_story_comes_first_and_names_what_began_why_and_where():
    lines = render_overflow(w.OUTCOMES["inf"]()).splitlines()

    assert lines[0].startswith("inf in the output of 'encoder.block.2.layer.1.dropout' (Dropout)")
    story = " ".join(" ".join(lines[: lines.index("")]).split())
    for said in ("mul in encoder.block.2", "65504, the largest float16", "models/t5.py:27"):
        assert said in story
    assert "DenseReluDense.wo (Linear) gave 6.27e+04, 96% of the largest float16" in story


def test_the_frames_grow_towards_the_limit_of_float16():
    lines = render_overflow(w.OUTCOMES["inf"]()).splitlines()

    bars = [line.count("\N{BLACK SQUARE}") for line in lines if line.startswith("    output")]
    assert bars == sorted(bars)
    assert bars[0] < bars[1] == 16
    assert [line for line in lines if "96%" in line and "\N{MULTIPLICATION SIGN} 265" in line]


def test_of_several_ranks_the_first_has_the_story_and_each_has_a_line():
    lines = render_overflow(w.OUTCOMES["ranks"]()).splitlines()

    assert lines[0].startswith("Rank 1 of 7 went bad first: inf in the output of 'encoder.block.2")
    told = {line[2:8]: line[12:] for line in lines if line.startswith("  rank ")}
    assert told["rank 0"] == "no nan or inf up to batch 2, as far as it came; loss 2.125 in batch 2"
    assert told["rank 2"] == "its own gradients of batch 2 were finite, and bad after the average"
    assert told["rank 4"] == "it had not begun when the others ended"
    assert [" on rank 1 " in line for line in lines[-2:]].count(True) == 1


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ([w.RECEIVED], "Rank 0 of 2 went bad first: the "),
        ([w.LOSS], "All 2 ranks went bad at once; on rank 0: the "),
        (
            [w.LOSS, w.RECEIVED],
            "Ranks 0 and 1 of 3 went bad first, at the same place of a step; on ",
        ),
    ],
)
def test_ranks_at_the_same_place_of_a_step_are_a_tie(others, said):
    ranks = (
        w.RankWatched(number, 3, 2, (), "detection", found)
        for number, found in enumerate([w.LOSS, *others])
    )
    outcome = w.outcome(w.facts(detection=w.LOSS, ended_by="detection", ranks=tuple(ranks)))

    assert render_overflow(outcome).startswith(said)


def test_of_many_modules_with_bad_gradients_the_first_are_shown():
    text = render_overflow(w.OUTCOMES["gradients"]())

    assert "30 modules concerned" in text
    assert "out.20  Linear" in text
    assert "out.21" not in text
    assert "and 9 modules more" in text


def test_without_unicode_and_at_80_columns_nothing_is_lost(check_snapshot):
    text = render_overflow(w.OUTCOMES["inf"](), Look(width=80, ascii_only=True))

    check_snapshot(text, "overflow_ascii_80.txt")
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 80
    assert "6.27e+04" in text


def test_colours_mark_the_bad_and_the_close():
    text = render_overflow(w.OUTCOMES["inf"](), Look(color=True))

    assert "\x1b[1;31m" in text
    assert "\x1b[33m" in text


def test_a_pipeline_that_failed_is_reported_as_by_check():
    finding = Finding("TD301", "index-out-of-range", Stage.FORWARD, Severity.ERROR, "row 7 of 5.")
    failed = w.outcome(has_failed=True, findings=(finding,))

    assert render_overflow(failed).startswith("TD301 index-out-of-range  error  forward\n")
    assert failed.exit_code == 1


def test_the_classic_text_is_the_detectors_own():
    assert render_overflow_text(w.OUTCOMES["inf"]()) == w.DETECTION.classic


def test_json_holds_what_was_seen_without_nan(check_snapshot):
    text = render_overflow_json(w.OUTCOMES["gradients"]())

    body = json.loads(text, parse_constant=pytest.fail)
    keys = "schema_version tool target complete interrupted seconds exit_code watch findings notes"
    assert " ".join(body) == keys
    assert body["exit_code"] == 1
    assert body["watch"]["detection"]["frames"][0]["rows"][0]["stats"]["abs_max"] == "nan"


@pytest.mark.parametrize(
    ("name", "code"), [("healthy", 0), ("inf", 1), ("gradients", 1), ("interrupted", 130)]
)
def test_the_exit_code_says_whether_something_was_found(name, code):
    assert w.OUTCOMES[name]().exit_code == code


def test_a_run_that_was_stopped_before_its_first_batch_claims_nothing():
    text = render_overflow(w.outcome(w.facts(num_batches=0), interrupted=True))

    assert text.startswith("tdebug.yaml: no batch was trained on")
    assert "no nan" not in text
