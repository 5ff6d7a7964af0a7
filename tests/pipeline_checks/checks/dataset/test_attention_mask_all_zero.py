import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.attention_mask_all_zero import attention_mask_all_zero
from tdebug.pipeline_checks.facts import BatchFacts, ModelFacts, SampleFacts
from tdebug.pipeline_checks.facts.batches import MaskFact
from tdebug.pipeline_checks.facts.samples import FieldFact

BERT = ModelFacts("Bert", is_transformers=True)


def samples(zero_rows):
    first = 3 if zero_rows else None
    field = FieldFact('["attention_mask"]', num_zero_rows=zero_rows, first_zero_row=first)
    return SampleFacts("Notes", 8, 8, fields=(field,))


def test_an_empty_text_is_found_in_the_samples():
    [problem] = attention_mask_all_zero(samples(1), BERT, BatchFacts())

    assert "1 of 8 samples" in problem.message
    assert problem.where == 'dataset[3]["attention_mask"] is all 0'


def test_an_empty_row_of_a_batch_is_found():
    masks = BatchFacts(masks=(MaskFact(1, '["attention_mask"]', (5, 6)),))

    [problem] = attention_mask_all_zero(SampleFacts("Notes", 8, 8), BERT, masks)

    assert "2 rows of a batch" in problem.message
    assert problem.where == "batch 1: dataset[5] and dataset[6]"


def test_an_inverted_mask_hides_whole_texts_and_is_told_as_that():
    masks = BatchFacts(masks=(MaskFact(1, '["attention_mask"]', (5,), is_inverted=True),))

    assert not list(attention_mask_all_zero(samples(1), BERT, masks))
    with pytest.raises(Undecided, match="inverted"):
        list(attention_mask_all_zero(samples(1), BERT, None))


def test_a_model_of_the_user_may_mean_the_opposite():
    assert not list(attention_mask_all_zero(samples(1), ModelFacts("Net"), None))


def test_masks_that_leave_something_are_no_problem():
    assert not list(attention_mask_all_zero(samples(0), BERT, BatchFacts()))
