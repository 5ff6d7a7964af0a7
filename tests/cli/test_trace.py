"""`tdebug trace` and `tdebug diff` end to end."""

import json

import pytest

PIPELINE = """
import torch
from torch import nn

CONFIG = {"batch_size": 4}

def build_model():
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
def build_dataset():
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(3, generator=generator), number % 2) for number in range(20)]
def build_loss():
    return nn.CrossEntropyLoss()
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "setup.py").write_text(PIPELINE)
    spec = "pipeline: setup.py\ntrace: {batches: [1, '7-9'], abort_after: 20}\n"
    (tmp_path / "tdebug.yaml").write_text(spec)
    return tmp_path


def test_a_trace_is_a_table_and_a_file_that_diff_reads(folder, run_apart):
    result = run_apart("trace", "--batches=1,3", "--output=a.jsonl", "setup.py", cwd=folder)

    assert (result.returncode, result.stderr) == (0, "")
    assert "batch 1, loss 0." in result.stdout
    assert "batch 3, loss 0." in result.stdout
    assert "4 batches and 4 steps watched" in result.stdout
    lines = (folder / "a.jsonl").read_text().splitlines()
    assert json.loads(lines[0]) == {"format": "tdebug-trace", "version": 1}
    assert [json.loads(line)["batch"] for line in lines[1:]] == [1] * 4 + [3] * 4

    same = run_apart("diff", "a.jsonl", "a.jsonl", cwd=folder)
    assert (same.returncode, same.stderr) == (0, "")
    assert same.stdout.startswith("a.jsonl and a.jsonl: all ")

    frame = json.loads(lines[3])
    frame["rows"][-1]["stats"]["abs_max"] = 100.0
    changed = [*lines[:3], json.dumps(frame), *lines[4:]]
    (folder / "b.jsonl").write_text("\n".join(changed) + "\n")
    other = run_apart("diff", "a.jsonl", "b.jsonl", cwd=folder)
    assert other.returncode == 1
    assert other.stdout.startswith("the traces part at the output of '2'\n")


def test_the_batches_of_the_spec_count_and_those_past_the_end_are_named(folder, run_apart):
    result = run_apart("trace", "--modules=0", cwd=folder)

    assert result.returncode == 0
    assert "batch 1, loss" in result.stdout
    assert "Batches 7, 8, 9 were not reached: the last one was batch 4." in result.stdout


def test_the_classic_text_is_what_people_know(folder, run_apart):
    result = run_apart("trace", "setup.py", "--format=text", cwd=folder)

    assert "*** Starting batch number=0 ***" in result.stdout
    assert "abs min  abs max  metadata\n                  0 Linear\n" in result.stdout


@pytest.mark.parametrize(
    ("batches", "said"),
    [
        ("x", "--batches: it is 'x'; expected numbers of batches"),
        ("5-1", "--batches: it holds '5-1', which runs from 5 down to 1. Did you mean '1-5'?"),
    ],
)
def test_batches_that_are_none_are_refused_with_what_was_written(
    folder, run_here, monkeypatch, batches, said
):
    monkeypatch.chdir(folder)

    result = run_here("trace", "--batches", batches)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(said)


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_run(
    folder, run_here, monkeypatch
):
    monkeypatch.chdir(folder)

    result = run_here("trace", "--output", "nowhere/a.jsonl")
    assert result.code == 2
    assert result.err == (
        "--output: 'nowhere/a.jsonl' cannot be written: No such file or directory.\n"
    )


def test_a_trace_that_is_not_there_is_2_with_its_name(folder, run_apart):
    result = run_apart("diff", "a.jsonl", "b.jsonl", cwd=folder)

    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "diff: 'a.jsonl' cannot be read: No such file or directory.\n"
