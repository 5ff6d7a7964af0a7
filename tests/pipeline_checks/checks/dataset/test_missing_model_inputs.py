import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.missing_model_inputs import missing_model_inputs
from tdebug.pipeline_checks.facts import (
    BatchFacts,
    ExceptionFact,
    LoaderFacts,
    ModelFacts,
    SampleFacts,
)
from tdebug.pipeline_checks.facts.batches import BatchFact
from tdebug.pipeline_checks.facts.model import Signature
from tdebug.pipeline_checks.facts.samples import FieldFact, KindCount

BERT = ModelFacts(
    "BertForSequenceClassification",
    signature=Signature(("input_ids", "labels"), takes_any=True),
    is_transformers=True,
    main_input="input_ids",
)
TRAINER = LoaderFacts(collate_kind="transformers", needs_padding=True, trainer=True)
FAILED = BatchFacts((BatchFact(0, error=ExceptionFact("ValueError", "x")),))
TEXT = (KindCount("str", None, 4, 0),)


def samples(*names, removed=(), kinds=TEXT):
    fields = tuple(FieldFact(f'["{name}"]', kinds) for name in names)
    return SampleFacts("Rows", 4, 4, (KindCount("dict", None, 4, 0),), fields, removed=removed)


def test_a_raw_dataset_is_recognised_by_its_text():
    raw = samples("premise", "hypothesis", "label", removed=("premise", "hypothesis"))

    [problem] = missing_model_inputs(raw, BERT, TRAINER, FAILED, None)

    assert "needs input_ids" in problem.message
    assert "the Trainer removed 'premise' and 'hypothesis'" in problem.message
    assert "not the raw one" in problem.hint


def test_two_fields_of_text_are_text():
    given = samples("premise", "hypothesis")

    [problem] = missing_model_inputs(given, BERT, TRAINER, FAILED, None)

    assert "'premise' and 'hypothesis' are still text: tokenize them" in problem.hint


def test_a_near_name_is_offered():
    [problem] = missing_model_inputs(
        samples("input_id", "label", kinds=()), BERT, TRAINER, FAILED, None
    )

    assert problem.hint == "rename 'input_id' to 'input_ids'."


def test_the_check_waits_for_the_batches():
    with pytest.raises(Undecided):
        list(missing_model_inputs(samples("text"), BERT, None, None, None))


@pytest.mark.parametrize(
    ("given", "loader", "batches"),
    [
        (samples("input_ids", "label"), TRAINER, FAILED),
        (samples("inputs_embeds", "label"), TRAINER, FAILED),
        (samples("text"), LoaderFacts(collate_kind="user", trainer=True), FAILED),
        (samples("text"), TRAINER, BatchFacts((BatchFact(0),))),
        (samples("text"), LoaderFacts(), FAILED),
    ],
)
def test_what_the_collator_or_the_user_provides_is_not_missing(given, loader, batches):
    assert not list(missing_model_inputs(given, BERT, loader, batches, None))
