"""Small pipelines, written to files and trained under watch in this process."""

import dataclasses
from textwrap import dedent

import pytest

from tdebug.pipeline_checks.spec import load_spec
from tdebug.pipeline_checks.watching.options import WatchOptions
from tdebug.pipeline_checks.watching.run import run_watched
from tdebug.pipeline_checks.watching.watch import watch_training

PARTS = """
import torch
from torch import nn

CONFIG = {"batch_size": 4}

def build_dataset():
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(3, generator=generator), number % 2) for number in range(24)]

def build_model():
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))

def build_loss():
    return nn.CrossEntropyLoss()

def build_optimizer(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)
"""


@pytest.fixture
def train(tmp_path, monkeypatch):
    """Train a pipeline under watch: `outcome, frames = train(code, max_batches=2)`.

    The code is added to the parts of a healthy one, whose factories it may define anew.
    """
    monkeypatch.chdir(tmp_path)

    def run(code="", *, alone=False, settings=None, **options):
        text = dedent(code) if alone else PARTS + dedent(code)
        (tmp_path / "setup.py").write_text(text)
        spec = load_spec("setup.py")
        spec = spec.changed(settings) if settings else spec
        worker_spec = spec.for_worker()
        worker_spec = dataclasses.replace(worker_spec, options=WatchOptions(**options).to_json())
        frames = []
        events = run_watched(worker_spec, is_worker=False)
        outcome = watch_training("setup.py", events, on_frames=frames.append)
        return outcome, frames

    return run
