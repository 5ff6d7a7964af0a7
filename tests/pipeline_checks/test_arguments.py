"""Dataclasses of a spec are filled and handed to the factories that ask for them."""

import textwrap
from dataclasses import replace

import pytest

from tdebug.pipeline_checks import check_pipeline
from tdebug.pipeline_checks.events import Observed
from tdebug.pipeline_checks.facts import LoadFacts, OptimizerFacts
from tdebug.pipeline_checks.spec import load_spec
from tdebug.pipeline_checks.stages import run_stages
from tdebug.pipeline_checks.walk import SpecMistakesError, walk

PIPELINE = """
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import TensorDataset


@dataclass
class ModelArguments:
    hidden_size: int = 8


@dataclass
class TrainArgs:
    learning_rate: float
    num_samples: int = 12


def build_dataset({all_of_them}):
    samples = {all_of_them}[1].num_samples
    return TensorDataset(torch.randn(samples, 3), torch.arange(samples) % 2)


def build_model(sizes: ModelArguments):
    hidden = sizes.hidden_size
    return nn.Sequential(nn.Linear(3, hidden), nn.ReLU(), nn.Linear(hidden, 2))


def build_loss():
    return nn.CrossEntropyLoss()


def build_optimizer(model, train_args):
    return torch.optim.AdamW(model.parameters(), lr=train_args.learning_rate)
"""
SPEC = """
pipeline: {file}
arguments: [{file}:ModelArguments, {file}:TrainArgs]
with: {{{values}}}
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(values, all_of_them="arguments"):
        name = f"setup_{tmp_path.name}.py"
        (tmp_path / name).write_text(PIPELINE.replace("{all_of_them}", all_of_them))
        spec = tmp_path / "tdebug.yaml"
        spec.write_text(textwrap.dedent(SPEC.format(values=values, file=name)))
        return str(spec)

    return write


def observe(spec, *overrides):
    """The facts of a run in this process, by type."""
    worker_spec = replace(load_spec(spec).for_worker(), overrides=overrides)
    events = run_stages(worker_spec, is_worker=False)
    return {type(e.fact): e.fact for e in events if isinstance(e, Observed)}


@pytest.mark.parametrize("all_of_them", ["arguments", "args"])
def test_factories_get_them_by_type_by_name_and_all_together(write, all_of_them):
    facts = observe(write("learning_rate: 1e-3, hidden_size: 16", all_of_them))

    assert not [part.error for part in facts[LoadFacts].parts if part.error]
    assert facts[OptimizerFacts].optimizers[0].groups[0].lr == 1e-3


def test_options_after_the_dashes_win(write):
    facts = observe(write("learning_rate: 1e-3"), "--learning_rate", "1e-4")

    assert facts[OptimizerFacts].optimizers[0].groups[0].lr == 1e-4


def test_a_report_is_the_same_from_python(write):
    report = check_pipeline(write("learning_rate: 1e-3"))

    assert not [finding for finding in report.findings if finding.severity == "error"]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ("hidden: 3, learning_rate: 1", r"yaml:4: arguments: .*'hidden' \(did you mean 'hidden_s"),
        ("hidden_size: 3", "yaml:4: arguments: .*learning_rate"),
        ("learning_rate: fast", "yaml:4: arguments: .*learning_rate.*'fast'"),
    ],
)
def test_a_wrong_value_is_a_mistake_of_the_spec_with_its_line(write, values, sentence):
    with pytest.raises(SpecMistakesError, match=sentence):
        check_pipeline(write(values))


def test_a_wrong_option_is_a_mistake_too(write):
    spec = load_spec(write("learning_rate: 1"))
    worker_spec = replace(spec.for_worker(), overrides=("--learning_rat", "2"))

    with pytest.raises(SpecMistakesError, match="did you mean '--learning_rate'"):
        walk("spec", run_stages(worker_spec, is_worker=False))
