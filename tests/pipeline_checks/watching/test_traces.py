"""Traced batches, and two traces side by side."""

import json
from pathlib import Path

import pytest

from tdebug.pipeline_checks.spec import WorkerSpec
from tdebug.pipeline_checks.watching.compare import run_diff
from tdebug.pipeline_checks.watching.side_by_side import compare_traces

HEADER = '{"format": "tdebug-trace", "version": 1}\n'
pytestmark = pytest.mark.filterwarnings("default")  # the pipelines are the user's


def test_the_chosen_batches_come_with_their_losses(train):
    outcome, frames = train(batches=(1, 3), abort_after=3)

    assert [seen.batch for seen in frames] == [1, 3]
    assert frames[1].loss == outcome.facts.losses[-1][1]
    assert [frame.module for frame in frames[0].frames] == ["0", "1", "2", ""]
    assert outcome.facts.num_batches == 4


def test_only_modules_of_the_given_names_come(train):
    _, frames = train(batches=(0,), modules=("*2", "1"))

    assert [frame.module for frame in frames[0].frames] == ["1", "2"]


def test_nan_in_a_traced_batch_stops_nothing(train):
    outcome, frames = train(
        """
        def build_model():
            return nn.Sequential(nn.Linear(3, 2), nn.Hardtanh(float("nan"), float("nan")))
        def compute_loss(model, batch):
            return model(batch[0]).sum() * float("nan")
        """,
        batches=(0, 1),
        max_batches=2,
    )

    assert (outcome.exit_code, outcome.facts.detection, len(frames)) == (0, None, 2)
    assert not frames[0].frames[-1].rows[-1].stats.is_finite


def test_a_line_of_the_file_holds_the_frame(train):
    _, frames = train(batches=(0,), max_batches=1)

    line = json.loads(frames[0].frames[0].line)
    assert (line["module"], line["class"], line["batch"]) == ("0", "Linear", 0)


def write_trace(name, seen):
    lines = [frame.line + "\n" for one in seen for frame in one.frames]
    Path(name).write_text(HEADER + "".join(lines))


def compare(first="a.jsonl", second="b.jsonl", tolerance=None):
    options = {"first": first, "second": second, "tolerance": tolerance}
    return compare_traces(run_diff(WorkerSpec(file="", folder=Path.cwd(), options=options)))


def test_the_same_run_twice_does_not_differ(train):
    for name in ("a.jsonl", "b.jsonl"):
        write_trace(name, train(batches=(0, 1), max_batches=2)[1])

    found = compare()
    assert (found.num_differences, found.mistake) == (0, "")
    assert found.num_compared > 10


def test_float32_against_bfloat16_is_within_what_the_coarser_allows(train):
    write_trace("a.jsonl", train(batches=(0,), max_batches=1)[1])
    settings = {"precision": "bf16"}
    write_trace("b.jsonl", train(batches=(0,), max_batches=1, settings=settings)[1])

    assert compare().num_differences == 0
    assert compare(tolerance=1e-6).num_differences > 0


def test_of_traces_without_the_first_modules_the_coarsest_dtype_counts(train):
    chosen = {"batches": (0,), "max_batches": 1, "modules": ("2", "1")}
    write_trace("a.jsonl", train(**chosen)[1])
    write_trace("b.jsonl", train(settings={"precision": "bf16"}, **chosen)[1])

    assert compare().num_differences == 0


def test_the_first_module_where_two_runs_part_is_named(train):
    write_trace("a.jsonl", train(batches=(0,), max_batches=1)[1])
    other = """
        def build_model():
            model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
            model[2].weight.data.mul_(2)
            return model
        """
    write_trace("b.jsonl", train(other, batches=(0,), max_batches=1)[1])

    first = compare().differences[0]
    assert (first.module, first.context) == ("2", "weight")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "'b.jsonl' cannot be read: No such file or directory."),
        ("{}\n", "'b.jsonl' is no trace: line 1 is {}"),
        (HEADER, "'b.jsonl' holds no frame."),
        (HEADER + "[]\n", "'b.jsonl' is no trace: line 2 is no frame"),
    ],
)
def test_a_file_that_is_no_trace_is_named(train, text, said):
    write_trace("a.jsonl", train(batches=(0,), max_batches=1)[1])
    if text is not None:
        Path("b.jsonl").write_text(text)

    assert compare().mistake.startswith(said)
