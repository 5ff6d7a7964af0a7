import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.labels_already_shifted import labels_already_shifted
from tdebug.pipeline_checks.facts import BatchFacts, CallFacts, ModelFacts
from tdebug.pipeline_checks.facts.batches import LabelFact
from tdebug.pipeline_checks.facts.calls import LossCall
from tdebug.pipeline_checks.facts.tensors import TensorFact

LLAMA = ModelFacts("LlamaForCausalLM", is_transformers=True)


def labels(same, next_, compared):
    fact = LabelFact(0, '["labels"]', 100, 0, num_same=same, num_next=next_, num_compared=compared)
    return BatchFacts(labels=(fact,))


def loss(*, in_model=True):
    call = LossCall(
        0,
        "cross_entropy",
        TensorFact((8, 50), "float32"),
        TensorFact((8,), "int64"),
        in_model=in_model,
        num_classes=50,
    )
    return CallFacts((call,))


def test_labels_that_equal_the_next_id_are_found():
    [problem] = labels_already_shifted(labels(3, 99, 100), LLAMA, None, loss())

    assert problem.message.startswith("99 % of the labels equal the next input id")
    assert "not shifted" in problem.hint


@pytest.mark.parametrize(
    ("given", "model", "calls"),
    [
        (labels(100, 2, 100), LLAMA, loss()),
        (labels(100, 100, 100), LLAMA, loss()),
        (labels(1, 30, 30), LLAMA, loss()),
        (labels(3, 99, 100), LLAMA, loss(in_model=False)),
        (labels(3, 99, 100), ModelFacts("MyGpt"), loss()),
    ],
)
def test_labels_that_fit_their_loss_are_no_problem(given, model, calls):
    assert not list(labels_already_shifted(given, model, None, calls))


def test_the_check_waits_for_the_loss():
    with pytest.raises(Undecided):
        list(labels_already_shifted(labels(3, 99, 100), LLAMA, None, None))
