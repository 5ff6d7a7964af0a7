"""Pipelines whose loss is nan or inf for a reason that only the numbers show."""

import pytest

from tdebug.pipeline_checks import check_pipeline

HEAD = """
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import TensorDataset

CONFIG = {"batch_size": 8}
X = torch.randn(NUM_SAMPLES, 8, generator=torch.Generator().manual_seed(0))
Y = torch.arange(NUM_SAMPLES) % 3


def build_model():
    return nn.Linear(8, 3)
"""

LAST_OF_ONE = """
def build_dataset():
    return TensorDataset(X, Y)


def compute_loss(model, batch):
    h = model(batch[0])
    h = (h - h.mean(0)) / (h.std(0) + 1e-5)
    return F.cross_entropy(h, batch[1])
"""

ALL_IGNORED = """
def build_dataset():
    labels = Y.clone()
    labels[8:16] = 255
    return TensorDataset(X, labels)


def build_loss():
    return nn.CrossEntropyLoss(ignore_index=255)
"""

NOTHING_SELECTED = """
def build_dataset():
    has_object = torch.rand(NUM_SAMPLES) > 0.1
    has_object[8:16] = False
    return TensorDataset(X, has_object)


def compute_loss(model, batch):
    x, has_object = batch
    return F.l1_loss(model(x)[has_object], x[has_object][:, :3])
"""

MASKED_WHOLE = """
def build_dataset():
    valid = torch.ones(NUM_SAMPLES, 3, dtype=torch.bool)
    valid[5] = False
    return TensorDataset(X, valid)


def compute_loss(model, batch):
    x, valid = batch
    return model(x).masked_fill(~valid, float("-inf")).logsumexp(1).pow(2).mean()
"""

SMOOTHED = """
def build_dataset():
    valid = torch.ones(NUM_SAMPLES, 3, dtype=torch.bool)
    valid[::2, 2] = False
    return TensorDataset(X, valid, torch.arange(NUM_SAMPLES) % 2)


def compute_loss(model, batch):
    x, valid, y = batch
    logits = model(x).masked_fill(~valid, float("-inf"))
    return F.cross_entropy(logits, y, label_smoothing=0.1)
"""

FILLED = """
def build_dataset():
    x = X.clone()
    x[3, 2] = 9.96921e36
    return TensorDataset(x, X[:, :3])


def build_loss():
    return nn.MSELoss()
"""

POWER = """
def build_dataset():
    return TensorDataset(X * (Y != 1)[:, None], Y.float())


class Lengths(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Linear(8, 3, bias=False)

    def forward(self, x):
        return (self.p(x) ** 2).sum(-1) ** 0.5


def build_model():
    return Lengths()


def build_loss():
    return nn.MSELoss()
"""


@pytest.mark.parametrize(
    ("body", "num_samples", "message", "where"),
    [
        (LAST_OF_ONE, 25, "std in compute_loss gives nan", "sample 24"),
        (ALL_IGNORED, 32, "all 8 targets are 255, the ignore_index", "batch 1 (samples 8 to 15)"),
        (NOTHING_SELECTED, 32, "it is the mean of 0 elements [0, 3]", "batch 1 (samples 8 to 15)"),
        (MASKED_WHOLE, 32, "1 of 8 rows ([5]) is nothing but -inf", "dataset[5]"),
        (SMOOTHED, 32, "as label smoothing does", "dataset[0], dataset[2], dataset[4]"),
        (FILLED, 32, "batch[0] holds 9.969e+36 in dataset[3]", "batch 0"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*degrees of freedom:UserWarning")  # torch says so too
def test_the_reason_of_a_bad_loss_is_told(errors_of, body, num_samples, message, where):
    (problem,) = errors_of(body, num_samples)

    assert problem.name == "non-finite-output"
    assert message in problem.message
    assert where in problem.where


def test_a_root_written_as_a_power_is_told(errors_of):
    (problem,) = errors_of(POWER, 32)

    assert problem.name == "non-finite-gradient"
    assert "x ** 0.5 is a square root" in problem.hint


@pytest.fixture
def errors_of(tmp_path, monkeypatch):
    """Check a pipeline of this body, which ends in an error, and give its errors."""
    monkeypatch.chdir(tmp_path)

    def check(body, num_samples):
        source = f"NUM_SAMPLES = {num_samples}\n{HEAD}{body}"
        (tmp_path / "train.py").write_text(source)
        return [f for f in check_pipeline("train.py").findings if f.severity.value == "error"]

    return check
