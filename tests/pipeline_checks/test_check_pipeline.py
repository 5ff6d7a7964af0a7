"""Live objects in this process: told rightly, and left as they were found."""

import copy
import dataclasses
import random
import sys
import warnings
from pathlib import Path

import lightning.pytorch as pl
import numpy as np
import pytest
import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainingArguments,
    default_data_collator,
)

from tdebug.pipeline_checks import Pipeline, Severity, Stage, Status, check_pipeline
from tdebug.pipeline_checks.reporters.json_report import render_json
from tdebug.pipeline_checks.walk import SpecMistakesError

# What their libraries warn of is not for us to forbid.
pytestmark = pytest.mark.filterwarnings("default")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.ReLU())
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        return self.out(self.body(x))


class Module(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net, self.loss = Net(), nn.CrossEntropyLoss()

    def training_step(self, batch, index):
        x, y = batch
        return self.loss(self.net(x), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def rows(num_classes=3, num=40):
    generator = torch.Generator().manual_seed(1)
    labels = [n % num_classes for n in range(num)]
    return [(torch.randn(4, generator=generator) + label, label) for label in labels]


def make_pipeline(num_classes=3):
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    scheduler = StepLR(optimizer, 10)
    loader = DataLoader(rows(num_classes), batch_size=8, shuffle=True)
    return Pipeline(model=model, dataloader=loader, loss=nn.CrossEntropyLoss(),
                    optimizer=optimizer, scheduler=scheduler)  # fmt: skip


def make_trainer(folder, num_labels=3, **options):
    config = BertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=2, vocab_size=20,
                        intermediate_size=8, num_labels=num_labels)  # fmt: skip
    generator = torch.Generator().manual_seed(1)
    data = [
        {"input_ids": torch.randint(5, 20, (6,), generator=generator), "labels": n % 3}
        for n in range(24)
    ]
    arguments = TrainingArguments(str(folder / "out"), report_to=[], use_cpu=True,
                                  per_device_train_batch_size=4)  # fmt: skip
    return Trainer(model=BertForSequenceClassification(config), args=arguments,
                   train_dataset=data, data_collator=default_data_collator,
                   **options)  # fmt: skip


def alarms(report):
    return [f.name for f in report.findings if f.severity is not Severity.INFO]


def world():
    """What a process has one of."""
    module = nn.modules.module
    return {
        "random": (torch.get_rng_state().tolist(), random.getstate(),
                   np.random.get_state()[1].tolist()),  # noqa: NPY002 - the global one
        "cwd": Path.cwd(),
        "path": list(sys.path),
        "filters": list(warnings.filters),
        "hooks": (len(module._global_forward_hooks), len(module._global_forward_pre_hooks)),
        "backward": torch.Tensor.backward,
        "grad": torch.is_grad_enabled(),
    }  # fmt: skip


def state_of(model, optimizer=None, scheduler=None):
    return copy.deepcopy(
        {
            "values": {k: v.tolist() for k, v in model.state_dict().items()},
            "grads": [None if p.grad is None else p.grad.tolist() for p in model.parameters()],
            "modes": [m.training for m in model.modules()],
            "requires": [p.requires_grad for p in model.parameters()],
            "hooks": [len(m._forward_hooks) + len(m._backward_hooks) for m in model.modules()],
            "optimizer": None if optimizer is None else str(optimizer.state_dict()),
            "scheduler": None if scheduler is None else scheduler.state_dict(),
        }
    )


def test_a_healthy_pipeline_passes_every_stage():
    report = check_pipeline(make_pipeline())

    assert (alarms(report), report.exit_code()) == ([], 0)
    assert [r.stage for r in report.stages if r.status is Status.PASSED] == list(Stage)[:6]
    assert report.target == "Pipeline"


def test_a_pipeline_is_left_as_it_was_found():
    pipeline = make_pipeline()
    model, optimizer = pipeline.model, pipeline.optimizer
    model(torch.randn(8, 4)).sum().backward()
    optimizer.step()
    model.body.eval()
    model.out.bias.requires_grad_(requires_grad=False)
    before = (state_of(model, optimizer, pipeline.scheduler), world(), vars(pipeline).copy())

    check_pipeline(pipeline)

    after = (state_of(model, optimizer, pipeline.scheduler), world(), vars(pipeline).copy())
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, True, True]


@pytest.mark.parametrize("broken", ["data", "model", "loss"])
def test_it_is_left_as_it_was_found_also_where_something_raises(broken):
    pipeline = make_pipeline()

    def fail(*args):
        raise ValueError("broken")

    if broken == "data":
        pipeline = dataclasses.replace(
            pipeline, dataloader=DataLoader(rows(), batch_size=8, collate_fn=fail)
        )
    elif broken == "model":
        pipeline.model.out.forward = fail
    else:
        pipeline = dataclasses.replace(pipeline, loss=fail)
    before = (state_of(pipeline.model, pipeline.optimizer), world())

    report = check_pipeline(pipeline)

    assert report.exit_code() == 1
    assert (state_of(pipeline.model, pipeline.optimizer), world()) == before


def test_what_tdebug_makes_up_is_not_written_to_the_pipeline():
    pipeline = Pipeline(model=Net(), dataset=rows(), loss=nn.CrossEntropyLoss())

    report = check_pipeline(pipeline, samples=10)

    assert (pipeline.optimizer, pipeline.dataloader) == (None, None)
    assert (pipeline.made_up, pipeline.settings) == (set(), {})
    assert len(report.notes) == 2
    assert report.stages[1].summary == "10 of 40 samples read, and the whole column [1]"


def test_a_finding_of_a_live_pipeline_names_sample_and_numbers():
    report = check_pipeline(make_pipeline(num_classes=4))

    [found] = [f for f in report.findings if f.severity is Severity.ERROR]
    assert found.code == "TD104"
    assert "run from 0 to 3, but there are 3 outputs" in found.message


def test_a_trainer_is_checked_and_left_as_it_was_found(tmp_path):
    trainer = make_trainer(tmp_path)
    names = ("optimizer", "lr_scheduler", "train_dataset", "data_collator", "model", "args",
             "callback_handler", "control")  # fmt: skip
    held = {name: getattr(trainer, name) for name in names}
    loaders = list(trainer.accelerator._dataloaders)
    known = set(vars(trainer))
    before = (state_of(trainer.model), world(), copy.deepcopy(trainer.state))

    report = check_pipeline(trainer)

    assert (alarms(report), report.exit_code()) == ([], 0)
    assert (state_of(trainer.model), world(), trainer.state) == before
    assert all(getattr(trainer, name) is value for name, value in held.items())
    assert trainer.accelerator._dataloaders == loaders
    assert set(vars(trainer)) == known
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_trainer_trains_after_a_check_as_it_would_have_before(tmp_path):
    losses = []
    for is_checked in (False, True):
        torch.manual_seed(0)
        trainer = make_trainer(tmp_path)
        trainer.args.max_steps, trainer.args.save_strategy = 3, "no"
        if is_checked:
            check_pipeline(trainer)
        losses.append(trainer.train().training_loss)

    assert losses[0] == losses[1]


def test_a_trainer_with_an_optimizer_of_its_own_keeps_its_state(tmp_path):
    trainer = make_trainer(tmp_path)
    optimizer = torch.optim.SGD(trainer.model.parameters(), lr=0.1, momentum=0.9)
    scheduler = StepLR(optimizer, 5)
    trainer.optimizer, trainer.lr_scheduler = optimizer, scheduler
    before = state_of(trainer.model, optimizer, scheduler)

    check_pipeline(trainer)

    assert trainer.optimizer is optimizer
    assert state_of(trainer.model, optimizer, scheduler) == before


def test_a_fault_of_a_trainer_is_found(tmp_path):
    report = check_pipeline(make_trainer(tmp_path, num_labels=2))

    assert alarms(report) == ["labels-out-of-range"]
    assert report.target == "Trainer"


def test_a_lightning_module_is_checked_and_left_as_it_was_found():
    module = Module()
    loader = DataLoader(rows(), batch_size=8, shuffle=True)
    before = (state_of(module), world())

    report = check_pipeline(module, loader)

    assert (alarms(report), report.exit_code()) == ([], 0)
    assert (state_of(module), world()) == before


def test_a_fault_of_a_lightning_module_is_found():
    report = check_pipeline(Module(), DataLoader(rows(num_classes=5), batch_size=8, shuffle=True))

    assert alarms(report) == ["labels-out-of-range"]


def test_select_ignore_and_severity_are_heeded():
    pipeline = make_pipeline(num_classes=4)

    ignored = check_pipeline(pipeline, ignore=["TD1", "TD3"])
    selected = check_pipeline(pipeline, select=["TD2"])
    lowered = check_pipeline(pipeline, severity={"TD104": "warning", "TD3": "warning"})

    assert "TD104" in {f.code for f in ignored.ignored}
    assert alarms(selected) == []
    assert {f.severity for f in lowered.findings if f.code == "TD104"} == {Severity.WARNING}


def test_a_setting_that_does_not_exist_is_refused_with_a_near_one():
    with pytest.raises(TypeError, match=r"no setting 'sample'\. Did you mean 'samples'\?"):
        check_pipeline(make_pipeline(), sample=3)


@pytest.mark.parametrize("thing", [nn.Linear(2, 2), 3, None, {"model": 1}])
def test_what_cannot_be_checked_is_refused_with_what_can(thing):
    with pytest.raises(TypeError, match="takes a Pipeline, a Hugging Face Trainer"):
        check_pipeline(thing)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({}, "no model is given"),
        ({"model": nn.Linear(2, 2)}, "neither a dataset nor a loader is given"),
    ],
)
def test_a_part_that_is_needed_and_not_given_is_told(parts, sentence):
    with pytest.raises(SpecMistakesError, match=sentence):
        check_pipeline(Pipeline(**parts))


@pytest.mark.parametrize("device", ["meta", "cuda:7"])
def test_a_device_that_is_not_there_is_said_and_the_cpu_used(device):
    report = check_pipeline(make_pipeline(), device=device)

    assert f"this machine has no device '{device}': the CPU alone was used." in report.notes
    assert report.exit_code() == 0


def test_a_spec_takes_settings_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(
        "import torch\n"
        "def build_model(): return torch.nn.Linear(2, 2)\n"
        "def build_loss(): return torch.nn.CrossEntropyLoss()\n"
        "def build_dataset(): return [(torch.randn(2), n % 2) for n in range(30)]\n"
    )
    before = world()

    report = check_pipeline("train.py", samples=5)

    assert report.stages[1].summary == "5 of 30 samples read, and the whole column [1]"
    assert {k: v for k, v in world().items() if k != "random"} == {
        k: v for k, v in before.items() if k != "random"
    }


def comparable(report):
    """The report as JSON, but for times."""
    plain = dataclasses.replace(
        report,
        seconds=0.0,
        stages=tuple(dataclasses.replace(result, seconds=0.0) for result in report.stages),
    )
    return render_json(plain)


@pytest.mark.parametrize("what", ["pipeline", "fault", "trainer", "lightning"])
def test_the_same_seed_gives_the_same_report(tmp_path, what):
    torch.manual_seed(0)
    things = {
        "pipeline": lambda: (make_pipeline(),),
        "fault": lambda: (make_pipeline(num_classes=4),),
        "trainer": lambda: (make_trainer(tmp_path),),
        "lightning": lambda: (Module(), DataLoader(rows(), batch_size=8, shuffle=True)),
    }[what]()

    first = comparable(check_pipeline(*things))
    torch.rand(17)  # whatever else was drawn between
    second = comparable(check_pipeline(*things))

    assert first == second


def test_a_notebook_shows_the_report_as_a_table():
    html = check_pipeline(make_pipeline(num_classes=4))._repr_html_()

    assert html.lstrip().startswith("<")
    assert "TD104" in html
    assert "labels-out-of-range" in html
