import socket
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "sample_configs"


@pytest.fixture(autouse=True)
def _samples_are_imported_from_an_empty_folder_and_offline(monkeypatch, tmp_path):
    def refuse(*args):
        pytest.fail(f"a sample opened a connection to {args[1:]}")

    monkeypatch.syspath_prepend(SAMPLES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def samples():
    return SAMPLES
