# ruff: noqa: S311, NPY002 - the global generators are what is tested
import random
import subprocess
import sys

import numpy as np
import pytest
import torch

from tdebug.pipeline_checks.training import (
    RngState,
    capture_rng_state,
    preserved_rng_state,
    restore_rng_state,
)


def draw():
    return random.random(), random.gauss(0, 1), np.random.randn(3).tolist(), torch.randn(3).tolist()


def test_what_is_drawn_inside_leaves_no_trace():
    np.random.randn()  # half of a pair is kept back by numpy, and by random.gauss
    random.gauss(0, 1)
    state = capture_rng_state()
    expected = draw()
    restore_rng_state(state)
    with preserved_rng_state():
        draw()
        torch.manual_seed(3)
    assert draw() == expected


def test_generators_are_put_back_when_the_body_raises():
    state = capture_rng_state()
    expected = draw()
    restore_rng_state(state)
    with pytest.raises(KeyError), preserved_rng_state():
        {}[str(draw())]
    assert draw() == expected


def test_a_state_can_be_written_and_read(tmp_path):
    state = capture_rng_state()
    torch.save(state.to_dict(), tmp_path / "rng.pt")
    expected = draw()
    restore_rng_state(RngState(**torch.load(tmp_path / "rng.pt", weights_only=True)))
    assert draw() == expected


def test_what_is_not_imported_is_left_alone():
    code = (
        "import sys\n"
        "from tdebug.pipeline_checks.training import capture_rng_state, restore_rng_state\n"
        "state = capture_rng_state()\n"
        "assert state.numpy is None and state.cpu is None and 'torch' not in sys.modules\n"
        "import torch\n"
        "restore_rng_state(state)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_device_in_use_is_restored_too(monkeypatch):
    class Device:
        def __init__(self):
            self.states = [torch.tensor([1]), torch.tensor([2])]

        def is_initialized(self):
            return True

        def get_rng_state_all(self):
            return list(self.states)

        def set_rng_state_all(self, states):
            self.states = states

    device = Device()
    monkeypatch.setattr(torch, "xpu", device)
    with preserved_rng_state():
        device.states = [torch.tensor([9]), torch.tensor([9])]
    assert [state.item() for state in device.states] == [1, 2]
