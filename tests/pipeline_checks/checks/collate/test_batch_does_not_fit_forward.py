import pytest

from tdebug.pipeline_checks.checks.collate.batch_does_not_fit_forward import (
    batch_does_not_fit_forward,
)
from tdebug.pipeline_checks.facts import (
    BatchFacts,
    ExceptionFact,
    LoaderFacts,
    ModelFacts,
    SampleFacts,
    TrainingFacts,
)
from tdebug.pipeline_checks.facts.batches import BatchFact, LeafFact
from tdebug.pipeline_checks.facts.model import Signature
from tdebug.pipeline_checks.facts.samples import FieldFact, KindCount
from tdebug.pipeline_checks.facts.training import FailureFact, LossFact
from tdebug.pipeline_checks.report import Stage

TYPE_ERROR = ExceptionFact("TypeError", "x", ("TypeError",))
BERT = ModelFacts(
    "Bert",
    signature=Signature(("input_ids", "attention_mask", "labels"), takes_any=True),
    is_transformers=True,
    main_input="input_ids",
)
TRAINER = LoaderFacts(collate="default_data_collator", collate_kind="transformers", trainer=True)


def samples(container, *paths, removed=()):
    kinds = (KindCount(container, None, 8, 0),)
    return SampleFacts("Rows", 8, 8, kinds, tuple(FieldFact(p) for p in paths), removed=removed)


def batches(container, *paths, error=None):
    leaves = tuple(LeafFact(path, "Tensor", (4,), "int64") for path in paths)
    return BatchFacts((BatchFact(0, (0, 1, 2, 3), 4, container, leaves, error),))


def failing(style, error=TYPE_ERROR):
    return TrainingFacts(style, failures=(FailureFact(Stage.FORWARD, 0, error),))


def find(given, model, loader, made, training):
    return list(batch_does_not_fit_forward(given, model, loader, made, training))


def test_tuples_in_a_trainer_are_found():
    made = batches("", error=TYPE_ERROR)

    [problem] = find(samples("tuple", "[0]", "[1]"), BERT, TRAINER, made, None)

    assert "the samples are a tuple of 2 values" in problem.message
    assert "need dicts" in problem.message
    assert "input_ids" in problem.hint


def test_a_label_column_of_another_name_that_the_trainer_removes_is_found():
    given = samples("dict", '["input_ids"]', '["label_id"]', removed=("label_id",))
    training = TrainingFacts("trainer", losses=(LossFact(0, "NoneType"),))

    [problem] = find(given, BERT, TRAINER, batches("dict", '["input_ids"]'), training)

    assert "the Trainer removes the column 'label_id'" in problem.message
    assert "rename_column('label_id', 'labels')" in problem.hint


def test_a_removed_column_that_nobody_misses_is_no_problem():
    given = samples("dict", '["input_ids"]', '["label"]', '["source"]', removed=("source",))
    training = TrainingFacts("trainer", losses=(LossFact(0, "Tensor", (), value=0.5),))

    assert not find(given, BERT, TRAINER, batches("dict", '["input_ids"]'), training)


NET = ModelFacts("Net", signature=Signature(("image", "labels"), ("image",)))


def test_an_unexpected_keyword_is_found_with_its_near_name():
    made = batches("dict", '["image"]', '["label"]')

    [problem] = find(None, NET, LoaderFacts(), made, failing("model_loss"))

    assert problem.message == "Net.forward does not take 'label'."
    assert problem.hint == "rename 'label' to 'labels'."
    assert "holds 'image' and 'label'" in problem.where


def test_a_missing_keyword_is_found():
    made = batches("dict", '["img"]', '["labels"]')

    [problem] = find(None, NET, LoaderFacts(), made, failing("model_loss"))

    assert "does not take 'img'; the batch has no 'image', which forward needs" in problem.message


def test_a_pair_for_a_model_of_two_inputs_is_found():
    model = ModelFacts("Rnn", signature=Signature(("x", "lengths"), ("x", "lengths")))

    [problem] = find(None, model, LoaderFacts(), batches("tuple", "[0]", "[1]"), failing("pair"))

    assert "needs 2 inputs (x and lengths)" in problem.message
    assert "compute_loss" in problem.hint


@pytest.mark.parametrize(
    "training",
    [
        failing("compute_loss"),
        failing("model_loss", ExceptionFact("RuntimeError", "x", ("RuntimeError",))),
        TrainingFacts("model_loss"),
        None,
    ],
)
def test_other_failures_are_left_alone(training):
    made = batches("dict", '["image"]', '["label"]')

    assert not find(None, NET, LoaderFacts(), made, training)
