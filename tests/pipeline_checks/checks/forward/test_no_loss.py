from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks.forward.no_loss import no_loss
from tdebug.pipeline_checks.facts import (
    GradientFacts,
    ModelFacts,
    SampleFacts,
    TrainingFacts,
)
from tdebug.pipeline_checks.facts.batches import LeafFact
from tdebug.pipeline_checks.facts.model import Signature
from tdebug.pipeline_checks.facts.samples import FieldFact, ShapeCount
from tdebug.pipeline_checks.facts.training import LossFact, OutputFact
from tdebug.pipeline_checks.report import Location

HEADLESS = ModelFacts("BertModel", is_transformers=True, has_head=False)
CLASSIFIER = ModelFacts(
    "BertForSequenceClassification",
    signature=Signature(("input_ids", "attention_mask", "labels")),
    is_transformers=True,
)
LOGITS = OutputFact("SequenceClassifierOutput", (LeafFact('["logits"]', "Tensor", (4, 2)),))


def fields(*names, removed=()):
    made = tuple(
        FieldFact(f'["{n}"]', shapes=(ShapeCount((), 4, (0,)),), min=0, max=1, is_whole=True)
        for n in names
    )
    return SampleFacts("Rows", 4, 4, fields=made, removed=removed)


def nothing(style="model_loss", **more):
    loss = LossFact(0, "NoneType")
    return TrainingFacts(style, (loss,), batches=(0,), indices=((0, 1, 2, 3),), **more)


def test_a_headless_model_is_named_with_the_class_to_use():
    output = OutputFact(
        "BaseModelOutput",
        (LeafFact('["last_hidden_state"]', "Tensor"), LeafFact('["pooler_output"]', "Tensor")),
    )
    samples = fields("input_ids", "labels")
    (problem,) = no_loss(nothing(output=output), HEADLESS, samples, None)
    assert "last_hidden_state and pooler_output" in problem.message
    assert "BertModel has no task head" in problem.message
    assert "BertForSequenceClassification" in problem.hint


def test_a_removed_label_column_is_named_with_the_name_that_forward_takes():
    samples = fields("input_ids", "label_id", removed=("label_id",))
    (problem,) = no_loss(nothing(output=LOGITS), CLASSIFIER, samples, None)
    assert "no argument 'label_id'" in problem.message
    assert "(int 0 to 1) was removed" in problem.message
    assert "rename the column 'label_id' to 'labels'" in problem.hint


def test_a_trainer_that_refuses_the_output_says_the_same(failing, error):
    frames = (Location("transformers/trainer.py", 3900),)
    training = failing(raised=error("ValueError", "no loss", frames), style="trainer")
    samples = fields("input_ids", "label_id", removed=("label_id",))
    (problem,) = no_loss(replace(training, output=LOGITS), CLASSIFIER, samples, None)
    assert "rename the column 'label_id'" in problem.hint


def test_labels_that_are_not_there_at_all():
    (problem,) = no_loss(nothing(output=LOGITS), CLASSIFIER, fields("input_ids"), None)
    assert "it computes one only when it gets 'labels'" in problem.message
    assert "'input_ids'" in problem.message


def test_a_compute_loss_without_return():
    (problem,) = no_loss(nothing("compute_loss"), None, None, None)
    assert problem.message.startswith("compute_loss gave no loss")
    assert "return" in problem.hint


def test_a_model_that_returns_its_outputs_alone():
    training = replace(nothing("model_output"), losses=(LossFact(0, "Tensor", (4, 3), "float32"),))
    (problem,) = no_loss(training, ModelFacts("Net"), None, None)
    assert "compute_loss" in problem.hint


@pytest.mark.parametrize("style", ["train_step", "lightning"])
def test_a_loop_of_the_user_s_own_may_return_nothing(style):
    assert not list(no_loss(nothing(style), None, None, GradientFacts(num_batches=1)))


def test_a_training_step_may_skip_a_batch():
    losses = (
        LossFact(0, "NoneType"),
        LossFact(1, "Tensor", (), "float32", 0.7, requires_grad=True),
    )
    training = TrainingFacts("lightning", losses, batches=(0, 1))
    assert not list(no_loss(training, None, None, None))


def test_a_number_is_a_loss_if_a_detached_one():
    training = TrainingFacts("compute_loss", (LossFact(0, "float", value=0.7),))
    assert not list(no_loss(training, None, None, None))


def test_a_training_step_whose_dict_lacks_loss_is_told_the_key_it_has():
    held = (LeafFact('["train_loss"]', "Tensor", (), "float32"),)
    loss = LossFact(0, "dict", leaves=held)
    facts = TrainingFacts("lightning", (loss,), batches=(0,), indices=((0, 1),))
    (problem,) = no_loss(facts, CLASSIFIER, None, None)
    assert "dict with train_loss" in problem.message
    assert "called 'train_loss'" in problem.hint


def test_a_compute_loss_that_returns_a_pair_is_told_which_entry_is_the_loss():
    held = (
        LeafFact("[0]", "Tensor", (), "float32"),
        LeafFact("[1]", "Tensor", (4, 2), "float32"),
    )
    loss = LossFact(0, "tuple", leaves=held)
    facts = TrainingFacts("compute_loss", (loss,), batches=(0,), indices=((0, 1),))
    (problem,) = no_loss(facts, CLASSIFIER, None, None)
    assert "tuple [] and [4, 2]" in problem.message
    assert "its entry [0]" in problem.hint


def test_a_loss_under_another_name_in_the_model_s_output_is_named():
    held = (
        LeafFact('["total_loss"]', "Tensor", (), "float32"),
        LeafFact('["logits"]', "Tensor", (4, 2), "float32"),
    )
    (problem,) = no_loss(nothing(output=OutputFact("dict", held)), CLASSIFIER, None, None)
    assert "not under 'total_loss'" in problem.message


def test_a_loss_that_does_not_stand_first_is_named():
    held = (
        LeafFact("[0]", "Tensor", (4, 2), "float32"),
        LeafFact("[1]", "Tensor", (), "float32"),
    )
    (problem,) = no_loss(nothing(output=OutputFact("tuple", held)), CLASSIFIER, None, None)
    assert "[1] is the one number" in problem.message
    assert "loss first" in problem.hint
