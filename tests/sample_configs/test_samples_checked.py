"""Every sample through the product itself: the right ones pass, the wrong ones are told rightly."""

import pytest

from tdebug.pipeline_checks import Severity, Stage, Status, check_pipeline

# What the samples' own libraries warn of is not the samples' fault.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def check(samples):
    return lambda name, **options: check_pipeline(str(samples / name), **options)


@pytest.fixture
def check_variant(tmp_path):
    """Check a pipeline that is the sample's with a few lines of its own."""

    def check_code(code):
        file = tmp_path / "variant.py"
        file.write_text(code, encoding="utf-8")
        return check_pipeline(str(file))

    return check_code


def broken_stage(report):
    return next((r.stage for r in report.stages if r.status is Status.FAILED), None)


def the_error(report):
    [found] = [f for f in report.findings if f.severity is Severity.ERROR]
    return found


@pytest.mark.parametrize("name", ["mnli.yaml", "digits.yaml", "diabetes.yaml"])
def test_a_right_sample_passes_every_stage_without_a_word(check, name):
    report = check(name, budget=2)

    alarms = [f.message for f in report.findings if f.severity is not Severity.INFO]
    statuses = {result.stage: result.status for result in report.stages}
    assert (alarms, report.exit_code()) == ([], 0)
    assert all(statuses[stage] is Status.PASSED for stage in list(Stage)[:6])
    assert report.is_complete


def test_raw_text_is_told_in_the_dataset_stage(check):
    report = check("mnli_raw_text.yaml")

    found = the_error(report)
    assert (found.name, broken_stage(report)) == ("missing-model-inputs", Stage.DATASET)
    assert "needs input_ids" in found.message
    assert "'premise' and 'hypothesis'" in found.message
    assert "pass the tokenized dataset" in found.hint
    assert found.location.function == "raw_text_trainer"


def test_a_batch_that_nothing_pads_is_told_with_lengths_collator_and_remedy(check):
    report = check("mnli_no_padding.yaml")

    found = the_error(report)
    assert (found.code, broken_stage(report)) == ("TD201", Stage.COLLATE)
    assert "input_ids has lengths" in found.message
    assert len(found.values["shapes"]) == 8
    assert "default_data_collator does not pad it" in found.message
    assert "the Trainer was not given the tokenizer" in found.hint
    assert "processing_class=tokenizer" in found.hint
    assert "DataCollatorWithPadding" in found.hint


def test_two_outputs_for_three_labels_are_told_before_any_forward(check):
    report = check("mnli_two_labels.yaml")

    found = the_error(report)
    assert (found.code, broken_stage(report)) == ("TD104", Stage.DATASET)
    assert "labels run from 0 to 2, but there are 2 outputs" in found.message
    assert "(20 of 60 samples)" in found.where
    assert "dataset[4]" in found.where
    assert "num_labels=3" in found.hint


def test_with_the_dataset_stage_ignored_forward_is_blamed_and_never_backward(check):
    report = check("mnli_two_labels.yaml", ignore=["TD1"], budget=0.5)

    found = the_error(report)
    assert [f.code for f in report.ignored] == ["TD104"]
    assert (found.code, found.stage, broken_stage(report)) == (
        "TD301", Stage.FORWARD, Stage.FORWARD,
    )  # fmt: skip
    assert "labels 0 to 2 against 2 outputs" in found.message
    assert "num_labels=3" in found.hint
    assert "loss_fct" in found.location.code
    assert report.stages[Stage.BACKWARD.rank].status is Status.SKIPPED


# The sample's data and tokenizer with a tiny BERT of random weights, which is as wrong as quickly.
VARIANT = """
import mnli_pipeline as sample
from transformers import BertConfig, BertForSequenceClassification, Trainer

def load_model(num_labels):
    return BertForSequenceClassification(BertConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        num_labels=num_labels,
    ))

def tokenized(pairs, first="premise", second="hypothesis"):
    tokenizer = sample.build_tokenizer()
    return pairs.map(lambda row: tokenizer(row[first], row[second], truncation=True))

def build_trainer():
    pairs = sample.load_pairs("train")
    arguments = sample.training_arguments()
    options = {"processing_class": sample.build_tokenizer()}
    num_labels, finish = 3, tokenized
{change}
    return Trainer(model=load_model(num_labels), args=arguments, train_dataset=finish(pairs),
                   **options)
"""
OTHER_COLUMNS = """
    pairs = pairs.rename_columns({"premise": "sentence1", "hypothesis": "sentence2"})
"""
FIVE_LABELS = """
    stars = [number % 5 for number in range(len(pairs))]
    pairs = pairs.remove_columns("label").add_column("label", stars)
"""


def variant(*changes):
    return VARIANT.replace("{change}", "".join(changes))


@pytest.mark.parametrize(
    "changes",
    [
        (OTHER_COLUMNS, "    finish = lambda p: tokenized(p, 'sentence1', 'sentence2')\n"),
        ("    arguments.per_device_train_batch_size = 3\n",),
        (FIVE_LABELS, "    num_labels = 5\n"),
    ],
    ids=["other columns", "batches of 3", "five labels"],
)
def test_a_right_variant_raises_no_alarm(check_variant, changes):
    report = check_variant(variant(*changes))

    assert [f.message for f in report.findings if f.severity is not Severity.INFO] == []


def test_raw_text_in_other_columns_is_told(check_variant):
    found = the_error(check_variant(variant(OTHER_COLUMNS, "    finish = lambda p: p\n")))

    assert found.name == "missing-model-inputs"
    assert "'sentence1' and 'sentence2'" in found.message


def test_batches_of_three_that_nothing_pads_are_told(check_variant):
    changes = "    arguments.per_device_train_batch_size = 3\n", "    options = {}\n"

    found = the_error(check_variant(variant(*changes)))

    assert found.code == "TD201"
    assert len(found.values["shapes"]) == 3


def test_five_labels_against_three_outputs_are_told(check_variant):
    found = the_error(check_variant(variant(FIVE_LABELS)))

    assert found.code == "TD104"
    assert "labels run from 0 to 4, but there are 3 outputs" in found.message
    assert "num_labels=5" in found.hint
