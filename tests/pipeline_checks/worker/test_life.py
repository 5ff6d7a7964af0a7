"""The worker's life: how it begins, goes on, ends, and what it leaves behind."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tdebug.pipeline_checks.events import Death, Note, Output, StageBegan, StageEnded
from tdebug.pipeline_checks.report import Stage
from tdebug.pipeline_checks.walk import walk
from tdebug.pipeline_checks.worker import WorkerCrashError, run_in_worker

PARENT = """
import sys
from pathlib import Path
from tdebug.pipeline_checks.spec.worker_spec import WorkerSpec
from tdebug.pipeline_checks.walk import walk
from tdebug.pipeline_checks.worker import run_in_worker

spec = WorkerSpec("tdebug.yaml", Path(sys.argv[1]))
report = walk("x", run_in_worker(spec, source="orderly:endless"),
              watch=lambda event: print(type(event).__name__, flush=True))
print("interrupted", report.interrupted, report.exit_code())
"""


def notes_of(events):
    return dict(event.text.split(" ", 1) for event in events if isinstance(event, Note))


def test_the_next_stage_begins_when_the_event_after_the_last_is_asked_for(spec, tmp_path):
    events = run_in_worker(spec, source="orderly:two_stages")

    assert [next(events), next(events)] == [StageBegan(Stage.LOAD), StageEnded(Stage.LOAD)]
    time.sleep(0.2)
    assert not (tmp_path / "dataset").exists()
    assert list(events) == [StageBegan(Stage.DATASET), StageEnded(Stage.DATASET)]
    assert (tmp_path / "dataset").exists()


def test_closing_the_generator_ends_the_worker_and_its_forks(spec, marked_processes):
    events = run_in_worker(spec, source="orderly:endless")
    next(events)
    next(events)
    assert len(marked_processes()) == 2

    events.close()

    assert marked_processes() == []


def test_a_worker_that_waits_may_clean_up(spec, tmp_path):
    events = run_in_worker(spec, source="orderly:cleans_up")
    next(events)
    next(events)

    events.close()

    assert (tmp_path / "cleaned").exists()


def test_an_interrupt_ends_everything_and_is_reported(spec, marked_processes):
    def interrupt(event):
        if not isinstance(event, StageBegan):
            raise KeyboardInterrupt

    report = walk("x", run_in_worker(spec, source="orderly:endless"), watch=interrupt)

    assert report.interrupted
    assert marked_processes() == []


def start_parent(tmp_path):
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout.readline() == "StageBegan\n"
    assert parent.stdout.readline() == "Progress\n"
    return parent


def test_ctrl_c_at_the_terminal_still_reports(tmp_path, marked_processes):
    parent = start_parent(tmp_path)

    parent.send_signal(signal.SIGINT)

    rest, _ = parent.communicate(timeout=20)
    assert rest == "interrupted True 130\n"
    assert marked_processes() == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the worker looks for its parent")
def test_the_worker_dies_with_its_parent(tmp_path, marked_processes):
    parent = start_parent(tmp_path)
    grandchild = max(pid for pid, _ in marked_processes())

    parent.kill()

    parent.communicate(timeout=20)
    until = time.monotonic() + 5
    while len(marked_processes()) > 1 and time.monotonic() < until:
        time.sleep(0.05)
    assert [pid for pid, _ in marked_processes()] == [grandchild]  # see the worker's limits
    os.kill(grandchild, signal.SIGKILL)
    while marked_processes() and time.monotonic() < until:
        time.sleep(0.05)


def test_the_module_at_work_is_known_after_a_kill(spec):
    *_, death = run_in_worker(spec, source="orderly:dies_in_a_module")

    assert isinstance(death, Death)
    assert (death.stage, death.doing) == (Stage.FORWARD, "batch 3, layers.1.wo")


def test_a_stage_that_begins_inside_a_step_is_known_too(spec):
    *events, death = run_in_worker(spec, source="orderly:dies_in_backward")

    assert {event.stage for event in events if isinstance(event, Output)} == {Stage.BACKWARD}
    assert (death.stage, death.doing) == (Stage.BACKWARD, "batch 3, layers.0")


def test_a_note_ends_with_the_next_event(spec):
    *_, death = run_in_worker(spec, source="orderly:dies_after_a_module")

    assert (death.stage, death.doing) == (Stage.FORWARD, "batch 4")


def test_the_child_has_imported_nothing_heavy_before_the_users_code(spec):
    assert notes_of(run_in_worker(spec, source="orderly:tells_about_itself"))["modules"] == ""


def test_the_folder_of_the_spec_comes_first_and_the_current_folder_last(
    spec, tmp_path, monkeypatch
):
    current = tmp_path / "current"
    current.mkdir()
    monkeypatch.chdir(current)

    notes = notes_of(run_in_worker(spec, source="orderly:tells_about_itself"))

    assert Path(notes["first"]) == tmp_path
    assert Path(notes["last"]) == Path(notes["folder"]) == current
    assert notes["argv"] == "[]"


def test_a_module_of_the_users_that_hides_a_standard_one_does_not_reach_the_worker(
    spec, tmp_path, monkeypatch
):
    for name in ("json", "dataclasses", "enum", "runpy", "inspect", "selectors", "signal"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('of the user')")
    monkeypatch.chdir(tmp_path)

    events = list(run_in_worker(spec, source="orderly:two_stages"))

    assert events[-1] == StageEnded(Stage.DATASET)


def test_the_device_replaces_the_specs(spec):
    events = run_in_worker(replace(spec, device="cuda"), source="orderly:tells_about_itself")
    assert notes_of(events)["device"] == "cuda"

    events = run_in_worker(spec, source="orderly:tells_about_itself", device="cuda:1")
    assert notes_of(events)["device"] == "cuda:1"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("fails_itself", "LookupError: a mistake of tdebug"),
        ("sends_no_event", "not JSON serializable"),
        ("is_not_there", "is_not_there"),
    ],
)
def test_a_mistake_of_tdebug_crosses_as_an_error(spec, source, words):
    with pytest.raises(WorkerCrashError, match=words):
        list(run_in_worker(spec, source=f"orderly:{source}"))


def test_a_worker_that_cannot_start_is_an_error(spec, tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise RuntimeError('hidden by PYTHONPATH')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    with pytest.raises(WorkerCrashError, match=r"(?s)did not start .*hidden by PYTHONPATH"):
        list(run_in_worker(spec, source="orderly:two_stages"))


def test_large_and_many_events_arrive_whole(spec):
    events = list(run_in_worker(spec, source="orderly:sends_much"))

    assert len(events[1].text) == 5_000_000
    assert len(events) == 2003


def test_progress_is_told_as_fast_as_it_is_read_and_the_last_is_known(spec):
    *events, death = run_in_worker(spec, source="orderly:tells_much_progress")

    assert 2 <= len(events) < 200
    assert death.doing == "dataset[19999]"


def test_the_parent_never_imports_torch(spec):
    code = PARENT.replace("orderly:endless", "orderly:dies_in_a_module") + "print(*sys.modules)"
    parent = subprocess.run(
        [sys.executable, "-c", code, str(spec.folder)], capture_output=True, text=True, check=True
    )

    assert "tdebug.pipeline_checks.worker.deaths" in parent.stdout
    assert " torch " not in parent.stdout


def test_a_report_finds_memory_where_the_user_left_none(spec):
    events = list(run_in_worker(spec, source="orderly:has_no_memory_to_report"))

    assert events[1:] == [Note("y" * 1_000_000), StageEnded(Stage.LOAD)]
