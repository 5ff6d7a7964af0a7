"""`tdebug overflow --nproc`: real gloo processes train together, and the first bad one is named."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tdebug.pipeline_checks.reporters.overflow import render_overflow
from tdebug.pipeline_checks.spec import load_spec
from tdebug.pipeline_checks.watching.options import WatchOptions
from tdebug.pipeline_checks.watching.watch import watch_training
from tdebug.pipeline_checks.watching.watch_ranks import train_in_ranks

PIPELINE = Path(__file__).parent / "watched" / "pipeline.py"
MARK = "TDEBUG_TEST_OF_WATCHED_RANKS"


@pytest.fixture(autouse=True)
def _no_process_is_left(monkeypatch):
    monkeypatch.setenv(MARK, str(os.getpid()))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    yield
    assert find_marked() == []


def find_marked():
    """Workers that this test started, by the mark that they inherit."""
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


@pytest.fixture
def train(monkeypatch):
    """Train with a fault: `outcome = train("forward", odd="16", wrap="1")`."""

    def run(fault, num_ranks=2, watch=None, **environment):
        monkeypatch.setenv("TEST_FAULT", fault)
        for name, value in environment.items():
            monkeypatch.setenv(f"TEST_{name.upper()}", value)
        spec = load_spec(str(PIPELINE)).for_worker()
        spec = replace(spec, options=WatchOptions().to_json(), timeout=60.0)
        return watch_training("pipeline.py", train_in_ranks(spec, num_ranks), watch)

    return run


def ends_of(outcome):
    return [rank.ended_by for rank in outcome.facts.ranks]


def test_gradients_that_one_rank_spoils_are_told_from_those_that_the_average_spoils(train):
    outcome = train("gradients", 3, odd="16")

    facts = outcome.facts
    assert (outcome.exit_code, facts.first_ranks) == (1, (1,))
    assert [rank.place for rank in facts.ranks] == [(1, 3), (1, 2), (1, 3)]
    assert facts.detection.origin.location.code == "return (out * 0).square().sum().sqrt()"
    shown = " ".join(render_overflow(outcome).split())
    assert "Rank 1 of 3 went bad first: nan in the gradients of batch 1" in shown
    assert "rank 0 its own gradients of batch 1 were finite, and bad after the average" in shown


def test_ranks_that_wait_in_the_users_own_wrapper_are_freed(train):
    outcome = train("forward", wrap="1")

    facts = outcome.facts
    assert (facts.first_ranks, ends_of(outcome)) == ((1,), ["left", "detection"])
    assert (facts.detection.batch, facts.detection.origin.operator) == (2, "log")
    assert facts.detection.origin.location.code == "mixed = torch.log(mixed * 0 - 1)"
    shown = render_overflow(outcome)
    assert "rank 0    no nan or inf up to batch 2, as far as it came" in shown


def test_a_healthy_training_begins_with_the_same_weights_and_tells_what_was_shared(train):
    told = []
    outcome = train("none", watch=told.append)

    facts = outcome.facts
    assert (outcome.exit_code, ends_of(outcome)) == (0, ["limit", "limit"])
    assert [(rank.num_batches, rank.num_steps) for rank in facts.ranks] == [(6, 6), (6, 6)]
    assert "6 batches and 6 steps on each of 2 ranks watched" in render_overflow(outcome)
    assert any("rank 0: batch " in getattr(event, "text", "") for event in told)
    (note,) = outcome.report.notes[-1:]
    assert "the gradients are averaged before each step" in note


def test_a_rank_that_dies_is_named_and_not_the_one_that_noticed(train):
    outcome = train("dies")

    assert (outcome.exit_code, outcome.has_failed) == (1, True)
    (finding,) = outcome.report.findings
    assert (finding.name, finding.values["rank"]) == ("rank-died", 1)
    assert finding.where.startswith("batch 2")


def test_a_rank_that_raises_is_told_with_its_line(train):
    outcome = train("raises", wrap="1")

    (finding,) = outcome.report.findings
    assert (outcome.exit_code, finding.name) == (1, "forward-fails")
    assert finding.location.code == 'raise ValueError("an odd batch")'
    assert "rank 1 raised, and rank 0 did not" in " ".join(outcome.report.notes)


def test_a_stream_that_ends_earlier_on_one_rank_ends_all_and_is_said(train):
    outcome = train("uneven")

    assert (outcome.exit_code, outcome.facts.ended_by) == (0, "done")
    assert "rank 1 had no more data after batch 2" in " ".join(outcome.report.notes)


def test_ranks_that_read_the_same_samples_are_told_so(train):
    outcome = train("same", odd="40")

    assert outcome.exit_code == 0
    assert "the first batch is the same on all ranks" in " ".join(outcome.report.notes)


def test_closing_it_in_the_middle_ends_every_process(monkeypatch):
    monkeypatch.setenv("TEST_FAULT", "none")
    spec = load_spec(str(PIPELINE)).for_worker()
    events = train_in_ranks(replace(spec, options=WatchOptions(epochs=500).to_json()), 2)
    for event in events:
        if "batch" in getattr(event, "text", ""):
            break
    assert find_marked()

    events.close()


def test_under_torchrun_the_ranks_of_the_launcher_train_and_rank_0_reports():
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "-m"]
    result = subprocess.run(
        [*command, "tdebug.cli", "overflow", str(PIPELINE), "--format=json"],
        env={**os.environ, "TEST_FAULT": "forward", "TEST_WRAP": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert result.returncode == 1, result.stderr
    body = json.loads(result.stdout)
    assert [rank["ended_by"] for rank in body["watch"]["ranks"]] == ["left", "detection"]
    assert body["watch"]["detection"]["origin"]["operator"] == "log"
