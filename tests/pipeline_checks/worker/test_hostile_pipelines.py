"""Real pipelines whose user code is hostile: the report names the stage, whatever happens."""

from pathlib import Path

import pytest

from tdebug.pipeline_checks.report import Severity, Stage, Status
from tdebug.pipeline_checks.spec import load_spec
from tdebug.pipeline_checks.walk import walk
from tdebug.pipeline_checks.worker import run_in_worker

PIPELINE = """
import ctypes, os, resource, signal, subprocess, sys, threading, time
import torch
from torch.utils.data import Dataset, default_collate

CONFIG = {"batch_size": 8}

def hostile(place):
    if place == PLACE:
        ACTION

def take_all():
    resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))
    taken = []
    while True:
        taken.append(bytearray(2**24))

class Samples(Dataset):
    def __len__(self):
        return 24
    def __getitem__(self, index):
        if index == 17:
            hostile("dataset")
        return torch.full((4,), float(index)) / 24, index % 2

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(4, 2)
    def forward(self, x):
        hostile("forward")
        return self.head(x)

def build_model():
    hostile("load")
    return Model()

def build_dataset():
    return Samples()

def build_collate_fn():
    def collate(samples):
        hostile("collate")
        return default_collate(samples)
    return collate

def build_loss():
    return torch.nn.CrossEntropyLoss()

def build_optimizer(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)
"""


@pytest.fixture
def report_of(tmp_path, monkeypatch):
    """The report about a pipeline that does this at that place."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")

    def run(place, action, timeout=60):
        text = PIPELINE.replace("PLACE", repr(place)).replace("ACTION", action)
        Path(tmp_path, "hostile_pipeline.py").write_text(text)
        path = tmp_path / "tdebug.yaml"
        path.write_text(f"pipeline: hostile_pipeline.py\ntimeout: {timeout}\n")
        return walk(str(path), run_in_worker(load_spec(str(path))))

    return run


def the_error(report, stage):
    (error,) = [found for found in report.findings if found.severity is Severity.ERROR]
    assert error.stage is stage
    failed = [result.stage for result in report.stages if result.status is Status.FAILED]
    assert failed == [stage]
    assert report.exit_code() == 1
    return error


@pytest.mark.parametrize(
    ("place", "action", "words"),
    [
        ("load", "ctypes.string_at(0)", "SIGSEGV"),
        ("dataset", "os._exit(3)", "exit code 3"),
        ("dataset", "os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("collate", "os.abort()", "SIGABRT"),
        ("forward", "ctypes.string_at(0)", "SIGSEGV"),
    ],
)
def test_a_death_is_found_in_its_stage(report_of, place, action, words):
    error = the_error(report_of(place, action), Stage(place))

    assert error.code == "TD011"
    assert words in error.message
    if "kill" not in action:
        assert error.location.code == action
    if place == "dataset":
        assert error.where == "dataset[17]"


@pytest.mark.parametrize(
    ("place", "action"),
    [
        ("dataset", "sys.exit(4)"),
        ("load", "sys.exit()"),
        ("forward", "raise KeyboardInterrupt"),
        ("collate", "raise BaseException('enough')"),
        ("dataset", "raise GeneratorExit"),
    ],
)
def test_leaving_by_an_exception_is_found_in_its_stage(report_of, place, action):
    error = the_error(report_of(place, action), Stage(place))

    assert error.location.code == action


def test_memory_that_runs_out_is_found_in_its_stage(report_of):
    error = the_error(report_of("dataset", "take_all()"), Stage.DATASET)

    assert "MemoryError" in error.message


def test_a_stage_that_sleeps_for_ever_is_found(report_of):
    error = the_error(report_of("collate", "time.sleep(600)", timeout=15), Stage.COLLATE)

    assert error.code == "TD012"
    assert error.location.code == "time.sleep(600)"


@pytest.mark.parametrize(
    "action",
    [
        r"print('[bold]markup[/] [/oops] \x1b[2J\x00'); [print(n) for n in range(100_000)]",
        "threading.Thread(target=time.sleep, args=[600]).start(); os.fork() or time.sleep(600)",
        "subprocess.Popen(['sleep', '600'], start_new_session=True); os.fork()",
    ],
)
def test_what_does_no_harm_passes(report_of, action):
    report = report_of("dataset", action)

    assert [found for found in report.findings if found.severity is Severity.ERROR] == []
    assert {stage.status for stage in report.stages[:6]} == {Status.PASSED}
    assert report.exit_code() == 0
