import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.text_instead_of_numbers import text_instead_of_numbers
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
from tdebug.pipeline_checks.facts.samples import FieldFact, KindCount
from tdebug.pipeline_checks.facts.training import FailureFact
from tdebug.pipeline_checks.report import Stage

MODEL = ModelFacts("Net", signature=Signature(("input_ids", "labels")))
PADDING = LoaderFacts(
    collate="DataCollatorWithPadding", collate_kind="transformers", needs_padding=True
)
FAILED = BatchFacts((BatchFact(0, error=ExceptionFact("ValueError", "x")),))
GOOD = BatchFacts((BatchFact(0, container="dict"),))


def samples(path, **more):
    field = FieldFact(path, (KindCount("str", None, 4, 0),), text="order two cups")
    return SampleFacts("Rows", 4, 4, (KindCount("dict", None, 4, 0),), (field,), **more)


def failing(style):
    error = ExceptionFact("AttributeError", "x")
    return TrainingFacts(style, failures=(FailureFact(Stage.FORWARD, 0, error),))


def test_a_text_column_that_a_padding_collator_chokes_on_is_named():
    [problem] = text_instead_of_numbers(samples('["text"]'), MODEL, PADDING, FAILED, None)

    assert '["text"] holds text (str)' in problem.message
    assert "does not take 'text' anyway" in problem.message
    assert problem.where == "dataset[0][\"text\"] = 'order two cups'"
    assert "drop the column 'text'" in problem.hint


def test_text_where_the_model_takes_ids_is_to_be_tokenized():
    [problem] = text_instead_of_numbers(
        samples('["input_ids"]'), MODEL, LoaderFacts(), GOOD, failing("model_loss")
    )

    assert "handed to Net as it is" in problem.message
    assert "tokenize" in problem.hint


def test_text_as_the_input_of_a_pair_is_found():
    assert list(
        text_instead_of_numbers(samples("[0]"), MODEL, LoaderFacts(), GOOD, failing("pair"))
    )


def test_the_check_waits_for_the_batches():
    with pytest.raises(Undecided):
        list(text_instead_of_numbers(samples('["text"]'), MODEL, None, None, None))


@pytest.mark.parametrize(
    ("given", "loader", "batches", "training"),
    [
        (samples('["file"]'), LoaderFacts(), GOOD, TrainingFacts("compute_loss")),
        (samples('["file"]'), LoaderFacts(), GOOD, failing("compute_loss")),
        (samples('["text"]', removed=("text",)), PADDING, FAILED, None),
        (samples('["label"]'), PADDING, FAILED, None),
        (samples('["text"]'), LoaderFacts(collate_kind="user"), FAILED, None),
    ],
)
def test_text_that_does_no_harm_is_left_alone(given, loader, batches, training):
    assert not list(text_instead_of_numbers(given, MODEL, loader, batches, training))
