"""Check real pipelines in real gloo processes that torch's launcher starts; nothing is left."""

import os
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tdebug.pipeline_checks import Severity, Stage
from tdebug.pipeline_checks.events import Output
from tdebug.pipeline_checks.spec import load_spec
from tdebug.pipeline_checks.walk import walk
from tdebug.pipeline_checks.worker.run_ranks import run_in_ranks, run_ranks

CASES = Path(__file__).parent / "cases"
MARK = "TDEBUG_TEST_OF_RANKS"
LIMIT_S = 40.0
NUM_RANKS = 3


@pytest.fixture(autouse=True)
def _no_process_is_left(monkeypatch):
    monkeypatch.setenv(MARK, str(os.getpid()))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    yield
    assert find_marked() == []


def find_marked():
    """Processes that this test started, by the mark that they inherit."""
    mark = f"{MARK}={os.getpid()}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue
        if mark in environment and b"TDEBUG_WORKER=" in environment:
            found.append(folder.name)
    return found


def read(name, file="bad", limit_s=LIMIT_S):
    return replace(load_spec(str(CASES / name / f"{file}.py")).for_worker(), timeout=limit_s)


def find_all(name, num_ranks=NUM_RANKS, watch=None, file="bad", limit_s=LIMIT_S):
    """The findings of the distributed stage alone, but remarks."""
    report = walk(name, run_ranks(read(name, file, limit_s), num_ranks), watch=watch)
    assert not [check.traceback for check in report.checks if check.traceback]
    return [finding for finding in report.findings if finding.severity is not Severity.INFO]


def find(name, num_ranks=NUM_RANKS, watch=None, file="bad"):
    """The same by the names of their checks."""
    return {finding.name: finding for finding in find_all(name, num_ranks, watch, file)}


def test_uneven_streams_are_counted_and_nothing_hangs():
    found = find("ranks_have_different_batches")

    assert list(found) == ["ranks-have-different-batches"]
    finding = found["ranks-have-different-batches"]
    assert finding.stage is Stage.DISTRIBUTED
    assert finding.severity is Severity.ERROR
    assert finding.values == {"batches": {"0": 3, "1": 2, "2": 2}}
    assert "rank 0: 3 batches (9 samples), rank 1: 2 batches (5 samples)" in finding.message


def test_a_loader_without_a_distributed_sampler_gives_all_ranks_the_same():
    found = find("ranks_see_same_samples", 2)

    assert list(found) == ["ranks-see-same-samples"]
    assert found["ranks-see-same-samples"].values["same"] == 22


def test_a_seed_that_depends_on_the_rank_is_seen_where_the_code_averages_gradients_itself():
    found = find("ranks_hold_different_parameters", 2)

    assert list(found) == ["ranks-hold-different-parameters"]
    assert found["ranks-hold-different-parameters"].values == {"parameters": ["weight", "bias"]}


def test_a_loss_that_goes_around_the_wrapper_leaves_the_gradients_of_the_ranks_different():
    found = find("gradients_differ_across_ranks", 2)

    assert list(found) == ["gradients-differ-across-ranks"]
    finding = found["gradients-differ-across-ranks"]
    assert finding.severity is Severity.ERROR
    assert finding.values["parameters"] == ["weight", "bias"]
    assert finding.values["step"] == 0


def test_a_trainer_whose_compute_loss_calls_the_unwrapped_model_is_found():
    found = find("gradients_differ_across_ranks", 2, file="trainer")

    assert list(found) == ["gradients-differ-across-ranks"]
    assert len(found["gradients-differ-across-ranks"].values["parameters"]) > 20


def test_what_accelerate_wraps_and_accumulates_is_right():
    assert find("gradients_differ_across_ranks", 2, file="accelerated") == {}


def test_a_learning_rate_that_depends_on_the_rank_is_seen_in_the_parameters_after_a_step():
    found = find("parameters_differ_after_step", 2)

    assert list(found) == ["parameters-differ-after-step"]
    assert "after step 0, though they were equal before it" in (
        found["parameters-differ-after-step"].message
    )


def test_a_layer_that_only_one_rank_uses_is_found_without_a_hang():
    found = find("wrapper_waits_for_unused_parameters", 2)

    assert list(found) == ["wrapper-waits-for-unused-parameters"]
    finding = found["wrapper-waits-for-unused-parameters"]
    assert finding.values == {"unused": {"0": [], "1": ["head.weight", "head.bias"]}}
    assert finding.where.startswith("rank 0 would wait in backward")


def test_the_padding_that_is_kept_is_a_warning_that_names_the_samples():
    found = find("gathered_predictions_differ")

    assert list(found) == ["gathered-predictions-differ"]
    finding = found["gathered-predictions-differ"]
    assert finding.severity is Severity.WARNING
    assert "24 predictions for 22 samples" in finding.message
    assert finding.where == "samples 0 and 1 are predicted more than once"


def test_the_rank_that_died_is_named_and_not_those_that_noticed():
    told = []
    found = find("rank_died", watch=lambda _: told.append(time.monotonic()))

    assert max(b - a for a, b in pairwise(told[-4:])) < 10.0
    assert list(found) == ["rank-died"]
    assert found["rank-died"].message == "rank 1 of 3 was ended by SIGKILL."
    assert found["rank-died"].where == "evaluate(model, dataset)"


def test_a_silent_rank_is_named_with_its_stack():
    found = find("rank_silent", 2)

    assert list(found) == ["rank-silent"]
    finding = found["rank-silent"]
    assert finding.values["rank"] == 1
    assert [frame.function for frame in finding.stack] == ["evaluate", "wait_for_ever"]
    assert "all_reduce" not in finding.message
    assert "where rank 0 waited" in finding.message


def test_ranks_that_both_receive_first_are_named_with_the_lines_where_they_wait():
    found = find_all("rank_silent", 2, file="in_recv")

    assert {finding.name for finding in found} == {"rank-silent"}
    for finding in found:  # one where the first to give up has left before the other asks
        assert [frame.function for frame in finding.stack] == ["evaluate", "exchange"]
        assert f"where rank {1 - finding.values['rank']} waited" in finding.message


def test_a_rank_that_waits_in_a_part_of_the_ranks_is_named_with_the_line_where_it_waits():
    found = find_all("rank_silent", 3, file="in_a_part", limit_s=24.0)

    # Who gives up first says where the other is, and has left when that one asks.
    places = {0: ["evaluate", "reduce_in_pairs"], 1: ["evaluate"]}
    assert {finding.name for finding in found} == {"rank-silent"}
    for finding in found:
        assert [frame.function for frame in finding.stack] == places[finding.values["rank"]]


def test_uneven_shapes_are_found_before_the_collective():
    found = find("collective_would_hang")

    assert list(found) == ["collective-would-hang"]
    finding = found["collective-would-hang"]
    assert "rank 0: [8, 2] float32, ranks 1 and 2: [7, 2] float32" in finding.message
    assert finding.location.code == "dist.all_gather(everything, mine.detach())"


def test_a_rank_that_raises_is_named_with_its_line():
    printed = []
    found = find("rank_raises", 2, printed.append)

    assert list(found) == ["rank-raises"]
    finding = found["rank-raises"]
    assert finding.message == "rank 1 raised FileNotFoundError: shard-1.tar"
    assert finding.where == "building dataset"
    assert finding.location.function == "build_dataset"
    assert not [e.text for e in printed if isinstance(e, Output) and "elastic" in e.text]


@pytest.mark.parametrize("name", sorted(path.parent.name for path in CASES.glob("*/bad.py")))
def test_what_looks_alike_and_is_right_raises_no_alarm(name):
    found = find(name, 3 if name == "ranks_have_different_batches" else 2, file="good")

    assert found == {}


def test_a_pipeline_that_is_right_in_one_process_and_in_several_raises_no_alarm():
    report = walk("good", run_in_ranks(read("nothing_wrong", "good"), NUM_RANKS))

    assert [f for f in report.findings if f.severity is not Severity.INFO] == []
    assert report.stages[-1].summary == "3 ranks"
    assert report.is_complete


def test_closing_the_run_in_the_middle_ends_every_process():
    events = run_ranks(read("rank_silent"), 2)
    for event in events:
        if getattr(event, "text", "").startswith("rank 1:"):
            break
    assert find_marked()

    events.close()
