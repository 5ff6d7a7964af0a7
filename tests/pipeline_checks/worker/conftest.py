import os
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tdebug.pipeline_checks.spec.worker_spec import WorkerSpec
from tdebug.pipeline_checks.walk import walk
from tdebug.pipeline_checks.worker import run_in_worker

MARK = "TDEBUG_TEST_OF_WORKER"
SOURCES = Path(__file__).parent / "sources"


@pytest.fixture(autouse=True)
def _sources_are_importable(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(SOURCES))


@pytest.fixture(autouse=True)
def _no_process_and_no_file_is_left(monkeypatch):
    monkeypatch.setenv(MARK, str(os.getpid()))
    files = _open_files()
    yield
    assert _find_processes() == []
    assert not Counter(_open_files()) - Counter(files)  # those of earlier tests may close meanwhile


def _find_processes():
    """Processes of the workers that this test started, by the mark in their environment."""
    mark = f"{MARK}={os.getpid()}\0".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue
        if mark in environment and b"TDEBUG_WORKER=" in environment:
            found.append((int(folder.name), (folder / "cmdline").read_bytes()))
    return found


@pytest.fixture
def marked_processes():
    """Finds the processes of the workers that this test started: pairs of id and command."""
    return _find_processes


def _open_files():
    """What the open file descriptors of this process lead to."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the one that listed the folder
            found.append(str(entry.readlink()))
    return sorted(name for name in found if not name.startswith("/proc/"))


@pytest.fixture
def spec(tmp_path):
    return WorkerSpec(file=str(tmp_path / "tdebug.yaml"), folder=tmp_path, timeout=60.0)


@pytest.fixture
def events_of(spec):
    """The events of one hostile action."""

    def run(action, **settings):
        return run_in_worker(replace(spec, **settings), source=f"hostile:run_{action}")

    return run


@pytest.fixture
def report_of(events_of):
    """The report of one hostile action."""

    def run(action, **settings):
        return walk("tdebug.yaml", events_of(action, **settings))

    return run
