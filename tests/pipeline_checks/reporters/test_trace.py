from dataclasses import replace

from tdebug.pipeline_checks.reporters.look import Look
from tdebug.pipeline_checks.reporters.trace import (
    TraceTally,
    render_trace_batch,
    render_trace_end,
)
from tdebug.pipeline_checks.watching.options import WatchOptions

from . import watched as w


def test_a_batch_is_a_table_in_the_order_of_the_module_tree(check_snapshot):
    text = render_trace_batch(w.TRACED)

    check_snapshot(text, "trace_batch.txt")
    names = [line[2:].split("  ")[0] for line in text.splitlines()[2:] if line]
    assert [name for name in names if name] == ["(the model)"]
    order = [text.index(name) for name in ("(the model)", "wte", "h.0 ", "mlp ", "c_fc")]
    assert order == sorted(order)


def test_what_float16_would_make_of_a_value_stands_beside_it():
    line = next(line for line in render_trace_batch(w.TRACED).splitlines() if "c_fc" in line)

    assert "overflow" in line


def test_the_heading_counts_what_is_not_finite():
    first = render_trace_batch(w.TRACED).splitlines()[0]

    assert first == "batch 1, loss 2.345: 5 frames, nan or inf in 1 value"


def test_narrow_tables_leave_out_columns_and_keep_the_numbers(check_snapshot):
    text = render_trace_batch(w.TRACED, Look(width=60, ascii_only=True))

    check_snapshot(text, "trace_batch_60.txt")
    assert max(map(len, text.splitlines())) <= 60
    assert "9.30e+04" in text
    assert "shape" not in text


def test_the_values_nearest_to_a_limit_come_first():
    lines = render_trace_batch(w.TRACED, top=2).splitlines()

    assert lines[2].split()[0] == "h.0"
    assert lines[3].split()[0] == "h.0.mlp.c_fc"
    assert len([line for line in lines[2:] if line]) == 2


def test_names_of_the_user_do_nothing_to_the_terminal():
    seen = replace(w.TRACED, frames=(w.frame(w.NASTY, w.NASTY, w.row("output", 1.0, 2.0)),))

    text = render_trace_batch(seen)
    assert "\x1b" not in text
    assert "[red]" in text


def end(seen, batches, modules=(), outcome=None):
    tally = TraceTally()
    for one in seen:
        tally.take(one)
    options = WatchOptions(batches=batches, modules=modules)
    return render_trace_end(outcome or w.outcome(), options, tally)


def test_batches_past_the_end_are_named():
    text = end([w.TRACED], (1, 20, 30))

    assert "Batches 20, 30 were not reached: the last one was batch 2." in text


def test_nan_in_a_traced_batch_is_said_at_the_end():
    assert "tdebug.yaml: nan or inf in batch 1: 3 batches" in end([w.TRACED], (1,))


def test_a_pattern_that_fits_no_module_is_said():
    text = end([replace(w.TRACED, frames=())], (1,), ("encodr.*",))

    assert "no module has a name like 'encodr.*'." in text


def test_a_detection_in_another_batch_is_the_story_of_overflow():
    assert end([], (7,), outcome=w.OUTCOMES["inf"]()).startswith("inf in the output of")
