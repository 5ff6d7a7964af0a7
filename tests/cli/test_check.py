"""`tdebug check` end to end, on small pipelines written here."""

import json
import os
import signal
import time
from textwrap import dedent
from xml.etree import ElementTree as ET

import pytest

PIPELINE = """
import time
import torch
from torch import nn

class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 40
    def __getitem__(self, index):
        {body}
        return torch.randn(4), {label}

def build_dataset():
    return Samples()
def build_model():
    return nn.Linear(4, 3)
def build_loss():
    return nn.CrossEntropyLoss()
"""


@pytest.fixture
def write(tmp_path):
    def write(body="pass", label="index % 3"):
        (tmp_path / "setup.py").write_text(dedent(PIPELINE).format(body=body, label=label))
        return tmp_path

    return write


def test_a_healthy_pipeline_is_0_and_nothing_is_on_stderr(write, run_apart):
    result = run_apart("check", "setup.py", cwd=write())
    assert result.returncode == 0
    assert result.stderr == ""
    assert "setup.py: no problem found" in result.stdout


def test_a_fault_is_1_and_told_in_each_format(write, run_apart):
    folder = write(label="index % 4")
    files = [f"--output={name}" for name in ("report.json", "report.xml", "report.txt")]
    result = run_apart("check", "setup.py", *files, cwd=folder)
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout.startswith("TD104 labels-out-of-range  error  dataset\n")
    body = json.loads((folder / "report.json").read_text())
    assert [finding["code"] for finding in body["findings"]] == ["TD104"]
    root = ET.parse(folder / "report.xml").getroot()  # noqa: S314 - our own text
    assert root.get("failures") == "1"
    assert (folder / "report.txt").read_text().startswith("TD104")


def test_what_is_ignored_does_not_stop_the_walk(write, run_apart):
    folder = write(label="index % 4")
    result = run_apart("check", "setup.py", "--format=json", "--ignore", "TD1", cwd=folder)
    body = json.loads(result.stdout)
    assert {finding["code"] for finding in body["ignored"]} == {"TD104"}
    assert {finding["stage"] for finding in body["findings"]} == {"forward"}


def test_what_the_spec_names_and_is_not_there_is_2_with_its_line(write, run_apart):
    folder = write()
    (folder / "tdebug.yaml").write_text("seed: 1\npipeline: setup.py\nmodel: setup.py:build_modl\n")
    result = run_apart("check", cwd=folder)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("tdebug.yaml:3: ")
    assert "build_model" in result.stderr


@pytest.mark.parametrize("arguments", [[], ["--in-process"]])
def test_what_the_user_prints_is_not_in_the_report(write, run_apart, arguments):
    folder = write("print('printed')")
    result = run_apart("check", "setup.py", "--format=json", *arguments, cwd=folder)
    assert json.loads(result.stdout)["complete"] is True
    assert ("printed" in result.stderr) is bool(arguments)


def test_what_the_user_prints_is_shown_on_demand(write, run_apart):
    folder = write("print('printed', index)")
    result = run_apart("check", "setup.py", "--format=json", "--show-output", cwd=folder)
    assert json.loads(result.stdout)["complete"] is True
    assert "printed 7\n" in result.stderr


def test_the_debugger_stops_at_the_line_that_raises(write, run_apart):
    folder = write("mine = index + 1; mine / (index - 7)")
    keys = "p mine * 1000\nq\n" * 3
    result = run_apart("check", "setup.py", "--pdb", "--format=json", cwd=folder, input=keys)
    assert "(Pdb) 8000" in result.stderr
    assert json.loads(result.stdout)["findings"][0]["location"]["line"] == 10


def test_several_processes_and_this_one_are_refused_with_a_sentence(write, run_apart):
    result = run_apart("check", "setup.py", "--nproc", "2", "--in-process", cwd=write())
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("--nproc: ")


def test_on_a_terminal_progress_is_shown_and_taken_away(write, run_on_terminal):
    folder = write("time.sleep(0.02)")
    result = run_on_terminal("check", "setup.py", cwd=folder)
    assert result.code == 0
    assert result.text.startswith("tdebug: reading setup.py ...")
    # 0.3 s is the aim, and what a machine takes that has nothing else to do.
    assert result.second_of("reading") < 2.0
    assert "dataset  " in result.text
    lines = result.screen()
    assert [line for line in lines if "reading" in line or "starting" in line] == []
    assert lines[-1].startswith("setup.py: no problem found")
    assert result.text.rindex("\x1b[?25h") > result.text.rindex("\x1b[?25l")


def interrupt(process, _):
    """What a terminal does at Ctrl-C."""
    os.kill(process.pid, signal.SIGINT)


@pytest.mark.parametrize("moment", ["reading", "load  ", "dataset["])
def test_ctrl_c_leaves_a_clean_terminal_and_exits_with_130(write, run_on_terminal, moment):
    folder = write("time.sleep(0.2)")
    result = run_on_terminal("check", "setup.py", cwd=folder, when={moment: interrupt})
    assert result.code == 130
    assert "Traceback" not in result.text
    assert [line for line in result.screen() if "reading" in line or "starting" in line] == []
    if "\x1b[?25l" in result.text:
        assert result.text.rindex("\x1b[?25h") > result.text.rindex("\x1b[?25l")
    if moment == "dataset[":
        assert "interrupted: the report is not complete" in result.screen()[-1]


def test_ctrl_c_leaves_no_process_behind(write, run_on_terminal):
    folder = write("open('pid', 'w').write(str(__import__('os').getpid())); time.sleep(0.2)")
    run_on_terminal("check", "setup.py", cwd=folder, when={"dataset[": interrupt})
    worker = int((folder / "pid").read_text())
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError(f"the worker {worker} is still there")
