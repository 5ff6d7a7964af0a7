"""A right spec, read from everything that it can be read from."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tdebug.pipeline_checks import spec as spec_package
from tdebug.pipeline_checks.spec import (
    Call,
    CheckSpec,
    LoaderSpec,
    Reference,
    SpecError,
    TraceSpec,
    load_spec,
)

WHOLE = """\
pipeline: train_setup.py
model:
  _target_: "my_project.models:Classifier"
  num_classes: 3
  head: {class_path: torch.nn.Linear, init_args: {in_features: 8, out_features: 3}}
  _args_: [1, {_target_: a:b}]
dataset: my_project.data:train_set
eval_dataset: my_project.data:validation_set
collate_fn: my_project/data.py:collate
loss: torch.nn:CrossEntropyLoss
optimizer: {_target_: "torch.optim:AdamW", lr: 1e-3}
scheduler: a:b
scaler: a:b
tokenizer: a:b
metrics: a:b
loader: {batch_size: 4, shuffle: true, num_workers: 2, drop_last: true}
device: cuda:1
precision: bf16
seed: 7
samples: all
arguments: my_project.args:TrainingArguments
with: {lr: 1e-4, names: [a, b]}
checks: {select: [TD1, td207], ignore: labels_out_of_range, severity: {TD207: info}}
trace: {batches: "0-2,10-30:10", abort_after: 3}
budget: 5
timeout: 60.5
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tdebug.yaml").write_text(WHOLE)
    return tmp_path


def test_every_key_is_read(folder):
    spec = load_spec(None, folder=folder)

    assert spec.pipeline == Reference("train_setup.py", 1)
    assert spec.model == Call(
        target=Reference("my_project.models:Classifier", 3),
        arguments={
            "num_classes": 3,
            "head": Call(
                Reference("torch.nn.Linear", 5), {"in_features": 8, "out_features": 3}, line=5
            ),
        },
        positional=(1, Call(Reference("a:b", 6), line=6)),
        line=2,
    )
    assert spec.optimizer.arguments == {"lr": 0.001}
    assert spec.loader == LoaderSpec(4, shuffle=True, num_workers=2, drop_last=True)
    assert (spec.device, spec.precision, spec.seed, spec.samples) == ("cuda:1", "bf16", 7, "all")
    assert spec.arguments == (Reference("my_project.args:TrainingArguments", 21),)
    assert spec.with_ == {"lr": 0.0001, "names": ["a", "b"]}
    assert spec.checks == CheckSpec(("TD1", "TD207"), ("labels-out-of-range",), {"TD207": "info"})
    assert spec.trace == TraceSpec((0, 1, 2, 10, 20, 30), 3)
    assert (spec.budget, spec.timeout) == (5.0, 60.5)


def test_a_spec_knows_its_file_its_folder_its_lines_and_its_parts(folder):
    spec = load_spec("tdebug.yaml", folder=folder)

    assert (spec.file, spec.folder) == ("tdebug.yaml", folder.resolve())
    assert spec.line_of("model") == 2
    assert spec.line_of("model.num_classes") == 4
    assert spec.line_of(("model", "_args_", 1, "_target_")) == 6
    assert spec.line_of("trace.nothing.here") == spec.line_of("trace") == 24
    assert list(spec.parts)[:3] == ["tokenizer", "dataset", "eval_dataset"]
    assert "pipeline" not in spec.parts
    assert {"loader.batch_size", "seed", "with", "checks.select"} <= spec.given


def test_what_is_not_given_has_its_default(tmp_path):
    (tmp_path / "s.yaml").write_text("pipeline: a.py\nloader:\nchecks:\n  # ignore: [TD1]\n")

    spec = load_spec("s.yaml", folder=tmp_path)

    assert spec.loader == LoaderSpec(8, shuffle=False, num_workers=0, drop_last=False)
    assert (spec.device, spec.precision, spec.seed, spec.samples) == ("cpu", "fp32", 42, 256)
    assert (spec.budget, spec.timeout) == (20.0, 600.0)
    assert spec.checks == CheckSpec()
    assert spec.parts == {}
    assert spec.given == {"pipeline"}


def test_numbers_may_be_written_as_1e3(tmp_path):
    (tmp_path / "s.yaml").write_text("pipeline: a.py\nsamples: 1e3\nbudget: 1e1\n")

    spec = load_spec("s.yaml", folder=tmp_path)

    assert (spec.samples, spec.budget) == (1000, 10.0)
    assert type(spec.samples) is int


def test_a_spec_cannot_be_changed_but_gives_a_changed_one(folder):
    spec = load_spec(None, folder=folder)

    with pytest.raises(ValueError, match="frozen"):
        spec.seed = 3
    other = spec.changed({"device": "cpu", "samples": 10})

    assert (other.device, other.samples, other.seed) == ("cpu", 10, 7)
    assert other.given == spec.given
    assert other.model == spec.model
    assert (spec.device, other.folder) == ("cuda:1", spec.folder)


def test_a_wrong_option_is_told_as_one_of_the_command_line(folder):
    spec = load_spec(None, folder=folder)

    with pytest.raises(SpecError) as raised:
        spec.changed({"device": "tpu9", "seed": -1})

    assert str(raised.value).splitlines() == [
        "command line: device is 'tpu9'; expected cpu, cuda, cuda:N, mps or auto.",
        "command line: seed is -1; expected a whole number from 0 to 4294967295.",
    ]


def test_a_python_file_is_a_pipeline_in_its_folder(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "train_setup.py").touch()

    spec = load_spec("sub/train_setup.py", folder=tmp_path)

    assert spec.pipeline == Reference("train_setup.py")
    assert (spec.file, spec.folder) == ("sub/train_setup.py", (tmp_path / "sub").resolve())
    assert spec.line_of("pipeline") is None


def test_a_factory_can_be_named_without_a_spec(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "train.py").touch()

    in_file = load_spec("sub/train.py:build", folder=tmp_path)
    in_module = load_spec("my_project.train:build", folder=tmp_path)

    assert (in_file.pipeline.text, in_file.folder.name) == ("train.py:build", "sub")
    assert (in_module.pipeline.text, in_module.folder) == (
        "my_project.train:build",
        tmp_path.resolve(),
    )
    for target in ("nowhere.py:build", "a b:c"):
        with pytest.raises(SpecError, match=r": there is no such file\."):
            load_spec(target, folder=tmp_path)


def test_the_current_folder_is_looked_into(folder, monkeypatch):
    monkeypatch.chdir(folder)

    assert load_spec(None).folder == folder.resolve()
    assert load_spec(str(Path("..", folder.name, "tdebug.yaml"))).folder == folder.resolve()


def test_tdebug_yaml_goes_before_pyproject_toml(folder):
    (folder / "pyproject.toml").write_text("[tool.tdebug]\nseed = 3\n")

    assert load_spec(None, folder=folder).seed == 7


def test_a_dataset_and_a_model_need_no_pipeline(tmp_path):
    (tmp_path / "s.yaml").write_text("model: a:b\ndataloader: a:b\n")

    assert load_spec("s.yaml", folder=tmp_path).pipeline is None


def test_the_package_names_what_it_has_and_nothing_else():
    assert set(spec_package.__all__) == set(spec_package._MODULE_OF)
    assert all(hasattr(spec_package, name) for name in spec_package.__all__)
    assert not hasattr(spec_package, "load_specs")


SCRIPT = """
import sys
from tdebug.pipeline_checks.spec import *
spec = load_spec("tdebug.yaml")
spec_schema(), TEMPLATE, validate_config({})
Spec.from_json(spec.to_json())
try:
    load_spec("wrong.yaml")
except SpecError as error:
    print(error)
print("torch" in sys.modules, "numpy" in sys.modules)
"""
WORKER_SCRIPT = """
import sys
import tdebug.pipeline_checks.spec
from tdebug.pipeline_checks.spec import WorkerSpec, Reference, parse_reference, validate_config
from tdebug.pipeline_checks.spec import Mistake, SpecError, did_you_mean, parse_batches
WorkerSpec.from_json(WorkerSpec("a", ".").to_json())
validate_config({"seed": 3, "batch_size": 3, "loader": {}})
print([name for name in ("torch", "pydantic", "yaml", "rich") if name in sys.modules])
"""


def run(script, folder):
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_a_spec_is_read_and_refused_without_torch(folder):
    (folder / "wrong.yaml").write_text("seed: -1\n")

    assert run(SCRIPT, folder).splitlines()[-1] == "False False"


def test_what_the_worker_needs_imports_neither_pydantic_nor_yaml(tmp_path):
    assert run(WORKER_SCRIPT, tmp_path) == "[]\n"
