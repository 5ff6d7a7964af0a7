"""Traces written to JSON lines, read back, and compared."""

import copy
import io
import json

import pytest
import torch
from torch import nn

from tdebug.overflow import (
    Frame,
    Row,
    TensorStats,
    diff_traces,
    read_trace,
    record_frames,
    write_trace,
)


def build():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 2))


def trace(model, x):
    with record_frames(model, batch_number=3) as frames:
        model(x)
    return frames


X = torch.linspace(-1, 1, 12).view(3, 4)


def test_what_is_written_is_read_back():
    stats = TensorStats((2, 3), "float16", 0.0, float("inf"), 0, 1, 0, 3.5, 0.25)
    frames = [
        Frame("a.b", "Linear", 0, (Row("output", "output", stats),), starts_batch=True),
        Frame("", "Net", None, (Row("input[0]", "input", None, "None"),)),
        *trace(build(), X),
    ]
    stream = io.StringIO()

    write_trace(frames, stream)

    assert list(read_trace(stream.getvalue().splitlines())) == frames


def test_nan_comes_back_as_nan_and_every_line_is_strict_json():
    stats = TensorStats((1,), "float32", float("nan"), float("nan"), 1)
    stream = io.StringIO()
    write_trace([Frame("", "Net", 0, (Row("output", "output", stats),))], stream)
    lines = stream.getvalue().splitlines()

    for line in lines:
        json.loads(line, parse_constant=pytest.fail)
    (frame,) = read_trace(lines)
    assert frame.rows[0].stats.abs_max != frame.rows[0].stats.abs_max


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{}", "line 1 is {}"),
        ('{"format": "tdebug-trace", "version": 1}\n{"batch": 1}', "line 2 is no frame"),
        ('{"format": "tdebug-trace", "version": 1}\n{', "line 2 is no frame"),
    ],
)
def test_what_is_no_trace_is_refused_with_the_line(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        list(read_trace(text.splitlines()))


def test_the_same_run_twice_does_not_differ():
    diff = diff_traces(trace(build(), X), trace(build(), X))

    assert diff.first is None
    assert diff.num_compared == 16
    assert (diff.only_first, diff.only_second) == ((), ())


def test_float32_and_bfloat16_are_the_same_within_the_coarser_dtype():
    wide, narrow = build(), copy.deepcopy(build()).bfloat16()

    diff = diff_traces(trace(wide, X), trace(narrow, X.bfloat16()))

    assert diff.first is None


def test_the_first_module_where_two_runs_part_is_named():
    changed = build()
    with torch.no_grad():
        changed[2].weight.mul_(1.01)

    diff = diff_traces(trace(build(), X), trace(changed, X))

    assert (diff.first.module, diff.first.context) == ("2", "weight")
    assert diff.first.relative == pytest.approx(0.01, rel=0.05)
    assert {d.module for d in diff.differences} == {"2", "3", ""}


def test_inf_on_one_side_differs_whatever_the_tolerance():
    good, bad = trace(build(), X), trace(build(), X * float("inf"))

    diff = diff_traces(good, bad, tolerance=1e9)

    assert diff.first.relative == float("inf")


def test_modules_of_one_side_only_are_listed():
    diff = diff_traces(trace(build(), X), trace(nn.Sequential(nn.Linear(4, 8)), X))

    assert diff.only_first == ("1", "2", "3")
    assert diff.only_second == ()
