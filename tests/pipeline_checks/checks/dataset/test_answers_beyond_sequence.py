import pytest

from tdebug.pipeline_checks.checks.dataset.answers_beyond_sequence import answers_beyond_sequence
from tdebug.pipeline_checks.facts import BatchFacts
from tdebug.pipeline_checks.facts.batches import BatchFact, LeafFact


def a_batch(low, high, name="start_positions", number=0, length=24):
    ids = LeafFact('["input_ids"]', "Tensor", (4, length), "int64", min=1, max=9)
    positions = LeafFact(f'["{name}"]', "Tensor", (4,), "int64", min=low, max=high)
    return BatchFact(number, (0, 1, 2, 3), 4, "dict", (ids, positions))


def problems_of(*batches):
    return list(answers_beyond_sequence(BatchFacts(batches), None, None))


@pytest.mark.parametrize("name", ["start_positions", "end_positions"])
def test_positions_behind_the_sequence_are_told_with_both_numbers(name):
    (problem,) = problems_of(a_batch(2, 9, name, 0), a_batch(24, 48, name, 1))

    assert f"all {name} of 1 of 2 batches lie behind the sequence" in problem.message
    assert "those of batch 1 are 24 to 48, its sequences have 24 tokens" in problem.message
    assert "after truncation" in problem.hint


@pytest.mark.parametrize("positions", [(0, 23), (3, 48), (0, 0), (None, None)])
def test_some_positions_behind_the_sequence_are_ignored_on_purpose(positions):
    assert not problems_of(a_batch(*positions))


def test_positions_without_ids_of_known_length_are_not_judged():
    positions = LeafFact('["start_positions"]', "Tensor", (4,), "int64", min=99, max=99)

    assert not problems_of(BatchFact(0, leaves=(positions,)))
