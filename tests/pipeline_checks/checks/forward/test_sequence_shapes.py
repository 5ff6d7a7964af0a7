import pytest

from tdebug.pipeline_checks.checks.forward.shape_mismatch import shape_mismatch
from tdebug.pipeline_checks.facts import ModelFacts

CHOICES = ModelFacts("BertForMultipleChoice", is_transformers=True)


def test_ids_without_their_choices(failing, tensor):
    inputs = [('["input_ids"]', (4, 8)), ('["labels"]', (4,))]
    facts = failing("view", [tensor(4, 1)], inputs, arguments=("-1", "8"))
    [problem] = shape_mismatch(facts, CHOICES)
    assert "[batch, choices, length]" in problem.message
    assert "is [4, 8]: the choices are missing" in problem.message
    assert "BertForSequenceClassification" in problem.hint


def test_ids_with_choices_are_not_to_blame(failing, tensor):
    inputs = [('["input_ids"]', (4, 2, 8)), ('["labels"]', (4,))]
    facts = failing("view", [tensor(4, 1)], inputs, arguments=("-1", "8"))
    [problem] = shape_mismatch(facts, CHOICES)
    assert "choices" not in problem.message


@pytest.fixture
def transformer(failing, tensor):
    def make(source, target, batch_first=0):
        return failing(
            module="t",
            module_type="Transformer",
            module_sizes={"batch_first": batch_first},
            module_inputs=(tensor(*source), tensor(*target)),
        )

    return make


def test_two_sequences_that_come_batch_first(transformer):
    [problem] = shape_mismatch(transformer((4, 7, 16), (4, 5, 16)), None)
    assert "the 4 samples stand first, and the lengths 7 and 5" in problem.message
    assert problem.hint == "build t with batch_first=True."


def test_two_sequences_that_fit_are_not_to_blame(transformer):
    assert not list(shape_mismatch(transformer((7, 4, 16), (5, 4, 16)), None))
    assert not list(shape_mismatch(transformer((4, 7, 16), (4, 5, 16), 1), None))


@pytest.mark.parametrize(
    ("shape", "cause", "hint"),
    [
        ((1, 8, 3, 32, 32), "the only sample is a batch of 8 already", "batch_size=None"),
        ((4, 8, 3, 32, 32), "each of the 4 samples holds 8", "makes [32, 3, 32, 32]"),
    ],
)
def test_samples_that_are_batches_themselves(failing, tensor, shape, cause, hint):
    given = tensor(*shape), tensor(6, 3, 3, 3)
    [problem] = shape_mismatch(failing("conv2d", given, module="c", module_type="Conv2d"), None)
    assert cause in problem.message
    assert hint in problem.hint
