"""The CPU comes first; what only the device shows stands beside it."""

from pathlib import Path

import pytest
import torch

from tdebug.pipeline_checks import Severity, Stage, Status
from tdebug.pipeline_checks.report import Finding, Report, StageResult
from tdebug.pipeline_checks.session import Session, Settings
from tdebug.pipeline_checks.spec import load_spec
from tdebug.pipeline_checks.stages import run_stages
from tdebug.pipeline_checks.stages.device import choose_device
from tdebug.pipeline_checks.two_devices import merge_device_report, walk_on_both

HEALTHY = """
import torch
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = dict(batch_size=4, device="cuda:7")

def build_dataset():
    x = torch.randn(16, 3, generator=torch.Generator().manual_seed(0))
    return TensorDataset(x, (x[:, 0] > 0).long())

def build_model():
    return nn.Linear(3, 2)

def build_loss():
    return nn.CrossEntropyLoss()
"""


def finding(code="TD305", stage=Stage.FORWARD, where="batch 0"):
    return Finding(code, "forward-fails", stage, Severity.ERROR, "it raised", where)


def results(status):
    return (StageResult(Stage.DATASET, Status.PASSED), StageResult(Stage.FORWARD, status))


def test_what_only_the_device_shows_is_marked_and_fails_the_run():
    on_cpu = Report("spec", results(Status.PASSED), notes=("a",), seconds=1.0)
    on_device = Report("spec", results(Status.FAILED), findings=(finding(),), seconds=2.0)

    report = merge_device_report(on_cpu, on_device, "cuda:0")

    assert [f.where for f in report.findings] == ["batch 0, on cuda:0 alone"]
    assert report.exit_code() == 1
    assert report.stages[1].status is Status.FAILED
    assert "cuda:0" in report.stages[1].reason
    assert report.device == "cpu and cuda:0"


def test_what_both_show_is_told_once():
    warning = Finding("TD118", "class-imbalance", Stage.DATASET, Severity.WARNING, "30:1", "labels")
    on_cpu = Report("spec", results(Status.PASSED), findings=(warning,))

    report = merge_device_report(on_cpu, on_cpu, "cuda:0")

    assert report.findings == (warning,)


def test_a_device_that_is_not_there_is_said_and_the_cpu_used(tmp_path: Path):
    file = tmp_path / "train_setup.py"
    file.write_text(HEALTHY)
    spec = load_spec(str(file)).for_worker()
    passes = []

    def make_events(on_device):
        passes.append(on_device)
        return run_stages(spec)

    report = walk_on_both("train_setup.py", make_events)

    assert passes == [False]
    assert report.exit_code() == 0
    assert "this machine has no device 'cuda:7': the CPU alone was used." in report.notes
    assert report.device == "cpu"


@pytest.mark.parametrize("is_on_device", [False, True])
def test_a_model_that_the_user_put_elsewhere_stays_there(is_on_device):
    session = Session(Settings(device="cpu"), is_on_device=is_on_device)

    device, wanted, _ = choose_device(session, torch.nn.Linear(1, 1, device="meta"))

    assert (device.type, wanted) == ("meta", "")
