"""Where a batch of the user's own loop went bad is found, in its loss too; nothing is stepped."""

from textwrap import dedent, indent

import pytest

from tdebug.pipeline_checks import check_pipeline
from tdebug.pipeline_checks.stages.step_replay import StepReplay

pytestmark = pytest.mark.filterwarnings("default")  # the pipelines are the user's

PARTS = """
import torch
from torch import nn

CONFIG = {"batch_size": 4}
SEEN = []

def build_dataset():
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(24, 3, generator=generator) + 0.5
    x[13] = 0.0
    return torch.utils.data.TensorDataset(x, (x[:, 0] > 1).float())

def build_model():
    torch.manual_seed(0)
    layers = nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Dropout(0.3), nn.Linear(4, 1)
    return nn.Sequential(*layers)

def build_optimizer(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)

def train_step(model, batch, optimizer, state):
    x, y = batch
    state["n"] = state.get("n", 0) + 1
    optimizer.zero_grad()
"""


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Check a pipeline whose `train_step` goes on so; gives the errors by name."""
    monkeypatch.chdir(tmp_path)

    def run(body, more=""):
        text = PARTS + indent(dedent(body), "    ") + dedent(more)
        (tmp_path / "setup.py").write_text(text)
        report = check_pipeline("setup.py")
        assert not [c.traceback for c in report.checks if c.traceback]
        return {f.name: f for f in report.findings if f.severity.name == "ERROR"}

    return run


def test_a_loss_that_train_step_computes_is_traced_to_its_operator_and_sample(check):
    errors = check(
        """
        weight = torch.log(x.sum(1))
        loss = ((model(x)[:, 0] - y) ** 2 * weight).mean()
        loss.backward()
        optimizer.step()
        return loss
        """
    )

    finding = errors["non-finite-output"]
    assert finding.message.startswith("log in train_step gives -inf (float32) in batch 3")
    assert "dataset[13]" in finding.where
    assert finding.location.code.strip() == "weight = torch.log(x.sum(1))"


def test_a_gradient_that_goes_bad_in_the_loss_is_traced_too(check):
    errors = check(
        """
        loss = torch.sqrt(((model(x)[:, 0] - y) * x.sum(1)) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss.item()
        """
    )

    assert "began in the backward of sqrt in train_step" in errors["non-finite-gradient"].message


BAD_LOSS = "((model(x)[:, 0] - y) ** 2 / x.sum(1)).mean()"
LOOPS = {
    "the second of two backwards": """
        for part in (slice(0, 1), slice(1, 4)):
            out = model(torch.cat([x[part], x[:1]]))[:-1, 0]
            loss = ((out - y[part]) ** 2 / x[part].sum(1)).mean() / 2
            loss.backward()
        optimizer.step()
        return loss
    """,
    "torch.autograd.backward": f"""
        loss = {BAD_LOSS}
        torch.autograd.backward([loss])
        optimizer.step()
        return loss
    """,
    "no backward at all": f"""
        loss = {BAD_LOSS}
        if torch.isfinite(loss):
            loss.backward()
            optimizer.step()
        return loss
    """,
    "whatever is raised is caught": f"""
        try:
            loss = {BAD_LOSS}
            loss.backward()
        except BaseException:
            pass
        optimizer.step()
        return loss
    """,
    "under autocast": f"""
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = {BAD_LOSS}
            loss.backward()
        optimizer.step()
        return loss
    """,
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_of_many_kinds_can_be_run_again(check, name):
    finding = check(LOOPS[name])["non-finite-output"]

    assert finding.message.startswith("div in train_step gives inf")
    assert "x" in finding.location.code


def test_fields_that_the_loop_takes_out_of_the_batch_are_there_again(check):
    errors = check(
        f"""
        loss = {BAD_LOSS}
        loss.backward()
        optimizer.step()
        return loss
        """,
        """
        rows = build_dataset
        inner = train_step

        def build_dataset():
            return [{"x": x, "y": y} for x, y in rows()]

        def train_step(model, batch, optimizer, state):
            return inner(model, (batch.pop("x"), batch.pop("y")), optimizer, state)
        """,
    )

    assert errors["non-finite-output"].message.startswith("div in train_step")


def test_after_a_step_nothing_can_be_told(check):
    errors = check(
        f"""
        model(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        loss = {BAD_LOSS}
        loss.backward()
        optimizer.step()
        return loss
        """
    )

    assert "train_step had stepped an optimizer before" in errors["non-finite-output"].message


def test_a_step_of_the_users_that_cannot_be_run_twice_is_said(check):
    errors = check(
        f"""
        if state["n"] in SEEN:
            raise ValueError("seen already")
        SEEN.append(state["n"])
        loss = {BAD_LOSS}
        loss.backward()
        optimizer.step()
        return loss
        """
    )

    message = errors["non-finite-output"].message
    assert "running the batch again raised ValueError: seen already" in message


def test_the_second_run_changes_nothing_of_the_first(check, tmp_path, monkeypatch):
    body = f"""
        loss = {BAD_LOSS}
        loss.backward()
        buffers = [b.double().sum().item() for b in model.buffers()]
        gradients = [p.grad.double().sum().item() for p in model.parameters()]
        weights = [p.double().sum().item() for p in model.parameters()]
        with open("seen.txt", "a") as file:
            print(state["n"], buffers, gradients, weights, torch.rand(1).item(), file=file)
        if torch.isfinite(loss):
            optimizer.step()
        return loss
    """
    errors, seen = [], []
    for is_found in (True, False):
        if not is_found:
            monkeypatch.setattr(StepReplay, "_find", lambda *args, **more: None)
        (tmp_path / "seen.txt").unlink(missing_ok=True)
        errors.append(check(body))
        seen.append((tmp_path / "seen.txt").read_text().splitlines())

    assert errors[0]["non-finite-output"].message.startswith("div in")
    assert seen[0] == seen[1]
    assert [line.split()[0] for line in seen[0]] == ["1", "2", "3", "4", "5", "6"]
