"""The four states of the BERT sample do in plain transformers what their specs tell."""

import importlib
import re
import traceback

import pytest
import torch
import yaml


@pytest.fixture
def mnli():
    return importlib.import_module("mnli_pipeline")


def load_factory(spec_path):
    file, name = yaml.safe_load(spec_path.read_text(encoding="utf-8"))["pipeline"].split(":")
    return getattr(importlib.import_module(file.removesuffix(".py")), name)


def read_told_exception(spec_path):
    """Return the exception in a spec's comment as a pattern in which any number may stand."""
    [told] = re.findall(r"#   (\w+Error: .*)", spec_path.read_text(encoding="utf-8"))
    return re.sub(r"\d+", r"\\d+", re.escape(told))


@pytest.mark.parametrize(
    ("spec", "failing_function"),
    [
        ("mnli_raw_text.yaml", "forward"),
        ("mnli_no_padding.yaml", "torch_default_data_collator"),
        ("mnli_two_labels.yaml", "cross_entropy"),
    ],
)
def test_a_broken_state_raises_what_its_spec_and_the_readme_tell(samples, spec, failing_function):
    told = read_told_exception(samples / spec)
    trainer = load_factory(samples / spec)()

    with pytest.raises((ValueError, IndexError)) as caught:
        trainer.train()

    assert re.fullmatch(told, f"{caught.type.__name__}: {caught.value}")
    assert re.search(told, (samples / "README.md").read_text(encoding="utf-8"))
    assert traceback.extract_tb(caught.tb)[-1].name == failing_function
    assert trainer.state.global_step == 0


def test_the_right_state_learns_within_30_steps(mnli, tmp_path):
    torch.manual_seed(42)
    trainer = mnli.build_trainer()
    trainer.args.max_steps = 30
    trainer.args.logging_steps = 10

    trainer.train()
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]

    assert len(losses) == 3
    assert losses[-1] < 0.9 * losses[0]
    assert 0 <= trainer.evaluate()["eval_accuracy"] <= 1
    assert list(tmp_path.iterdir()) == []
    assert list(mnli.OUTPUT_DIR.iterdir()) == []


def test_the_pairs_are_balanced_distinct_and_of_varied_length(mnli):
    training, validation = mnli.load_pairs("train"), mnli.load_pairs("validation")
    pairs = [
        (pair["premise"], pair["hypothesis"]) for split in (training, validation) for pair in split
    ]
    num_tokens = [len(ids) for ids in mnli.tokenize(training)["input_ids"]]

    assert [list(training["label"]).count(label) for label in range(3)] == [20, 20, 20]
    assert [list(validation["label"]).count(label) for label in range(3)] == [6, 6, 6]
    assert len({premise for premise, _ in pairs}) == len(pairs) == 78
    assert len({hypothesis for _, hypothesis in pairs}) == len(pairs)
    assert len(set(num_tokens)) > 15


def test_the_pairs_are_shuffled(mnli):
    labels = list(mnli.load_pairs("train")["label"])

    batches = [set(labels[start : start + 8]) for start in range(0, len(labels), 8)]

    assert all(len(labels_in_batch) > 1 for labels_in_batch in batches)
