import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.collate.lists_become_transposed_tensors import (
    lists_become_transposed_tensors,
)
from tdebug.pipeline_checks.facts import (
    BatchFacts,
    ExceptionFact,
    LoaderFacts,
    ModelFacts,
    SampleFacts,
    TrainingFacts,
)
from tdebug.pipeline_checks.facts.batches import BatchFact
from tdebug.pipeline_checks.facts.model import Signature
from tdebug.pipeline_checks.facts.samples import FieldFact, KindCount, ShapeCount
from tdebug.pipeline_checks.facts.training import FailureFact
from tdebug.pipeline_checks.report import Stage

BERT = ModelFacts("Bert", signature=Signature(("input_ids", "attention_mask", "labels")))
BATCHES = BatchFacts((BatchFact(0, (0, 1, 2, 3), 4, "dict"),))


def samples(*names, kind="list of int"):
    fields = tuple(
        FieldFact(f'["{n}"]', (KindCount(kind, 1, 12, 0),), (ShapeCount((6,), 12, (0,)),))
        for n in names
    )
    return SampleFacts("Rows", 12, 12, fields=fields)


def failing(style):
    failure = FailureFact(Stage.FORWARD, 0, ExceptionFact("AttributeError", "x"))
    return TrainingFacts(style, failures=(failure,))


def find(given, training, loader=None):
    loader = loader or LoaderFacts()
    return list(lists_become_transposed_tensors(given, loader, BATCHES, BERT, training))


def test_lists_that_reach_the_model_are_found_with_what_became_of_them():
    [problem] = find(samples("input_ids", "attention_mask"), failing("model_loss"))

    assert "makes 6 tensors of 4 of it, a list, instead of one tensor [4, 6]" in problem.message
    assert "attention_mask" in problem.where
    assert "with_format('torch')" in problem.hint


@pytest.mark.parametrize(
    ("given", "training", "loader"),
    [
        (samples("input_ids"), TrainingFacts("compute_loss"), None),
        (samples("input_ids"), failing("compute_loss"), None),
        (samples("boxes"), failing("model_loss"), None),
        (samples("input_ids", kind="int64 tensor"), failing("model_loss"), None),
        (samples("input_ids"), failing("model_loss"), LoaderFacts(collate_kind="transformers")),
    ],
)
def test_lists_that_do_no_harm_are_left_alone(given, training, loader):
    assert not find(given, training, loader)


def test_the_check_waits_for_the_forward():
    with pytest.raises(Undecided):
        find(samples("input_ids"), None)
