"""Start real gloo processes, with a time limit, and leave none behind."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

RANK_MAIN = Path(__file__).parent / "rank_main.py"
LIMIT_S = 90


@dataclass(frozen=True)
class RankResult:
    """How one rank ended: its exit code, what its function returned, what it wrote."""

    code: int
    value: Any
    stderr: str


class Ranks:
    """The processes of one run, which are a session of their own."""

    def __init__(self, forker, folder, function, num_ranks, **options):
        self.folder = folder
        self.num_ranks = num_ranks
        task = {"folder": str(folder), "num_ranks": num_ranks} | make_task(
            function, folder, **options
        )
        forker.stdin.write(json.dumps(task) + "\n")
        forker.stdin.flush()
        self.session = int(forker.stdout.readline())

    def wait(self):
        self._wait_for("done")
        return [self._read(rank) for rank in range(self.num_ranks)]

    def wait_for_result(self, rank):
        self._wait_for(f"result.{rank}")

    def signal_all(self, number):
        """Signal every process of the session that is left."""
        os.killpg(self.session, number)

    def is_running(self):
        try:
            self.signal_all(0)
        except ProcessLookupError:
            return False
        return True

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            self.signal_all(signal.SIGKILL)

    def _wait_for(self, name):
        end_s = time.monotonic() + LIMIT_S
        while not (self.folder / name).exists():
            assert time.monotonic() < end_s, f"no {name} after {LIMIT_S} s"
            time.sleep(0.02)

    def _read(self, rank):
        result = self.folder / f"result.{rank}"
        return RankResult(
            code=int((self.folder / f"code.{rank}").read_text()),
            value=json.loads(result.read_text()) if result.exists() else None,
            stderr=(self.folder / f"stderr.{rank}").read_text(),
        )


def make_task(function, folder, *, store="file", environment=None, **arguments):
    return {
        "file": function.__code__.co_filename,
        "function": function.__name__,
        "arguments": arguments,
        "environment": environment or {},
        "init_method": f"file://{folder}/store" if store == "file" else f"tcp://{find_address()}",
        "limit_s": LIMIT_S,
    }


@pytest.fixture(scope="session")
def forker():
    """Keep the process that has imported torch, of which the ranks are forks."""
    process = subprocess.Popen(
        [sys.executable, RANK_MAIN],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process
    process.communicate(timeout=LIMIT_S)


@contextlib.contextmanager
def keep_ranks(forker, folder):
    """Give a function that starts ranks; whatever still runs at the end is killed."""
    started = []

    def start(function, num_ranks=3, **options):
        own_folder = folder / f"run{len(started)}"
        own_folder.mkdir()
        started.append(Ranks(forker, own_folder, function, num_ranks, **options))
        return started[-1]

    try:
        yield start
    finally:
        for ranks in started:
            ranks.kill()


@pytest.fixture
def start_ranks(forker, tmp_path):
    """Give a function that starts ranks."""
    with keep_ranks(forker, tmp_path) as start:
        yield start


@pytest.fixture
def run_ranks(start_ranks):
    """Give a function that runs one on every rank and returns how each ended."""
    return lambda *args, **options: start_ranks(*args, **options).wait()


@pytest.fixture(scope="module")
def run_ranks_once(forker, tmp_path_factory):
    """Give the same for results that several tests look at."""
    with keep_ranks(forker, tmp_path_factory.mktemp("ranks")) as start:
        yield lambda *args, **options: start(*args, **options).wait()


def find_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"
