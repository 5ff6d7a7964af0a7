import pytest

from tdebug.pipeline_checks.checks.forward.index_out_of_range import index_out_of_range
from tdebug.pipeline_checks.facts import CallFacts
from tdebug.pipeline_checks.facts.calls import BadEntry, EmbeddingCall


def bad_label_calls(calls, **more):
    bad = BadEntry(2.0, row=1, index=1, num_bad=2, num_rows=2)
    return calls(output=(4, 2), value=None, bad_target=bad, target_min=0.0, target_max=2.0, **more)


def bad_row(tensor, module="emb", value=31, low=0, high=31):
    bad = BadEntry(value, row=2, index=2, num_bad=1)
    ids = tensor(4, 6, dtype="int64", field='["input_ids"]')
    return CallFacts((), (EmbeddingCall(0, module, 30, bad, low, high, ids),), 1)


def test_a_label_that_is_no_class_names_span_outputs_and_first_sample(failing, calls):
    (problem,) = index_out_of_range(failing("cross_entropy"), bad_label_calls(calls))
    assert "labels 0 to 2 against 2 outputs" in problem.message
    assert "2 samples of this batch" in problem.message
    assert "dataset[1]" in problem.where


def test_the_fix_for_a_transformers_model_is_its_num_labels(failing, calls):
    (problem,) = index_out_of_range(failing("cross_entropy"), bad_label_calls(calls, in_model=True))
    assert "num_labels=3" in problem.hint


def test_a_token_id_beyond_the_embedding_is_found(failing, tensor):
    (problem,) = index_out_of_range(failing("embedding"), bad_row(tensor))
    assert "'emb' has 30 rows (0 to 29) but is asked for row 31" in problem.message
    assert problem.where.startswith('dataset[2]["input_ids"]')
    assert "at least 32 rows" in problem.hint


def test_a_position_table_asks_for_shorter_sequences(failing, tensor):
    calls = bad_row(tensor, "roberta.embeddings.position_embeddings")
    (problem,) = index_out_of_range(failing("embedding"), calls)
    assert "too long" in problem.hint


def test_a_negative_id_is_told_apart(failing, tensor):
    calls = bad_row(tensor, value=-100, low=-100, high=5)
    (problem,) = index_out_of_range(failing("embedding"), calls)
    assert "-100 may be an ignore or padding value" in problem.hint


def test_a_gather_beyond_the_tensor_is_found(failing, tensor):
    operands = (tensor(4, 34), tensor(4, 36, dtype="int64", min=0, max=35))
    (problem,) = index_out_of_range(failing("gather", operands, module="emb"), None)
    assert "index 35 where there are 4, in a tensor [4, 34]" in problem.message


def test_an_index_within_the_tensor_is_no_finding(failing, tensor):
    operands = (tensor(4, 34), tensor(4, 36, dtype="int64", min=0, max=3))
    assert not list(index_out_of_range(failing("gather", operands), None))


def test_bad_labels_are_silent_where_nothing_raised(failing, calls):
    training = failing("linear")
    assert not list(index_out_of_range(training, calls()))


def test_the_dimension_that_gather_picks_from_is_read_from_its_arguments(failing, tensor):
    operands = (tensor(4, 34), tensor(4, 36, dtype="int64", min=0, max=10))
    assert not list(index_out_of_range(failing("gather", operands, arguments=("1",)), None))
    assert list(index_out_of_range(failing("gather", operands, arguments=("0",)), None))


def test_each_index_of_several_meets_its_own_dimension(failing, tensor):
    rows = tensor(4, dtype="int64", min=0, max=3)
    last = tensor(4, dtype="int64", min=3, max=7)
    (problem,) = index_out_of_range(failing("__getitem__", (tensor(4, 7, 8), rows, last)), None)
    assert "asks for index 7 where there are 7" in problem.message


@pytest.mark.parametrize(("ids", "advice"), [((0, 3), "num_classes=4"), ((-1, 2), "-1, 255")])
def test_one_hot_of_a_class_too_many_is_told_in_classes(failing, tensor, ids, advice):
    given = tensor(8, dtype="int64", name="batch[1]", field="[1]", min=ids[0], max=ids[1])
    training = failing("one_hot", (given,), arguments=("3",))
    (problem,) = index_out_of_range(training, None)
    assert "num_classes=3, valid ids are 0 to 2" in problem.message
    assert f"batch[1] runs from {ids[0]} to {ids[1]}" in problem.message
    assert advice in problem.hint
