import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.padding_has_labels import padding_has_labels
from tdebug.pipeline_checks.facts import BatchFacts, CallFacts, ModelFacts
from tdebug.pipeline_checks.facts.batches import LabelFact
from tdebug.pipeline_checks.facts.calls import LossCall
from tdebug.pipeline_checks.facts.tensors import TensorFact

GPT2 = ModelFacts("GPT2LMHeadModel", is_transformers=True)


def labels(padded, labelled, total=100, ignored=0):
    fact = LabelFact(
        0, '["labels"]', total, ignored, num_padded=padded, num_padded_labelled=labelled
    )
    return BatchFacts(labels=(fact,))


def loss(*, in_model=True, ignore_index=-100):
    call = LossCall(
        0,
        "cross_entropy",
        TensorFact((8, 50), "float32"),
        TensorFact((8,), "int64"),
        in_model=in_model,
        options={"ignore_index": ignore_index},
        num_classes=50,
    )
    return CallFacts((call,))


def test_labelled_padding_is_counted():
    [problem] = padding_has_labels(labels(30, 30), GPT2, None, loss())

    assert problem.message.startswith("100 % of the padded positions have a label: 30 of the 100")
    assert "-100" in problem.hint


def test_a_single_end_token_after_each_text_is_no_mistake():
    assert not list(padding_has_labels(labels(30, 4), GPT2, None, loss()))


def test_a_loss_of_the_user_that_ignores_the_pad_id_is_no_mistake():
    assert not list(padding_has_labels(labels(30, 30), GPT2, None, loss(in_model=False)))


def test_other_models_are_left_alone():
    t5 = ModelFacts("T5ForConditionalGeneration", is_transformers=True)

    assert not list(padding_has_labels(labels(30, 30), t5, None, loss()))


def test_the_check_waits_for_the_loss():
    with pytest.raises(Undecided):
        list(padding_has_labels(labels(30, 30), GPT2, None, None))


def test_without_a_mask_or_a_tokenizer_it_is_said_that_padding_is_unknown():
    fact = LabelFact(0, '["labels"]', 100, 0, knows_padding=False)

    with pytest.raises(Undecided, match="no attention_mask and no tokenizer"):
        list(padding_has_labels(BatchFacts(labels=(fact,)), GPT2, None, loss()))
