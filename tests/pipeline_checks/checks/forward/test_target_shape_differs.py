import pytest

from tdebug.pipeline_checks.checks.forward.target_shape_differs import target_shape_differs
from tdebug.pipeline_checks.facts import CallFacts
from tdebug.pipeline_checks.facts.calls import SpreadCall
from tdebug.pipeline_checks.report import Location, Severity

BCE = "binary_cross_entropy_with_logits"
LINE = Location("train.py", 30)


def only(calls):
    (problem,) = target_shape_differs(calls, None)
    return problem


@pytest.mark.parametrize("loss", ["mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss"])
def test_a_regression_that_broadcasts_to_pairs_is_an_error(calls, loss):
    problem = only(calls(loss, (8, 1), (8,), target_dtype="float32"))
    assert "[8, 8]: 64 pairs in place of 8" in problem.message
    assert "output.squeeze(-1)" in problem.hint
    assert problem.severity is None


def test_a_target_column_against_a_flat_output_is_squeezed(calls):
    problem = only(calls("mse_loss", (8,), (8, 1), target_dtype="float32"))
    assert "target.squeeze(-1)" in problem.hint


def test_a_target_that_is_repeated_over_outputs_is_a_warning(calls):
    problem = only(calls("mse_loss", (8, 5), (8, 1), target_dtype="float32"))
    assert problem.severity is Severity.WARNING


@pytest.mark.parametrize(("output", "target"), [((8, 1), (8, 1)), ((8, 1), ()), ((8, 1), (1,))])
def test_equal_shapes_and_one_number_for_all_are_fine(calls, output, target):
    found = calls("mse_loss", output, target, target_dtype="float32")
    assert not list(target_shape_differs(found, None))


@pytest.mark.parametrize(("output", "target"), [((5, 12, 1), (12, 1)), ((5, 12), (12,))])
def test_a_stack_of_outputs_against_the_target_of_all_is_fine(calls, output, target):
    found = calls("mse_loss", output, target, target_dtype="float32")
    assert not list(target_shape_differs(found, None))


def test_a_last_batch_of_one_broadcasts_to_one_and_is_fine(calls):
    found = calls("mse_loss", (1, 1), (1,), target_dtype="float32")
    assert not list(target_shape_differs(found, None))


def test_a_binary_loss_that_refuses_is_an_error(calls):
    problem = only(calls(BCE, (4, 1), (4,), target_dtype="float32", value=None))
    assert "shape [4, 1] and a target of shape [4]" in problem.message
    assert problem.severity is None


def test_a_column_of_class_ids(calls):
    problem = only(calls(output=(4, 3), target=(4, 1), value=None))
    assert "column vector" in problem.message
    assert "target.squeeze(1)" in problem.hint


def test_classes_that_stand_last(calls):
    problem = only(calls(output=(2, 7, 30), target=(2, 7), value=None))
    assert "the classes stand last" in problem.message


def test_class_ids_in_a_regression_loss(calls):
    problem = only(calls("mse_loss", (8, 5), (8,), value=None))
    assert "CrossEntropyLoss over these 5 outputs" in problem.hint


def test_rows_that_differ_in_number(calls):
    assert "14 rows against 12" in only(calls(output=(14, 30), target=(12,), value=None)).message


@pytest.mark.parametrize(("output", "target"), [((4, 3), (4,)), ((4, 3, 8, 8), (4, 8, 8))])
def test_class_ids_of_the_right_shape_are_fine(calls, output, target):
    assert not list(target_shape_differs(calls(output=output, target=target), None))


def test_probabilities_of_one_class_are_left_to_another_check(calls):
    found = calls(output=(4, 1), target=(4, 1), target_dtype="float32")
    assert not list(target_shape_differs(found, None))


def test_a_difference_written_by_hand_that_broadcasts_is_found(tensor):
    target = tensor(16, field='["y"]')
    facts = CallFacts(spread=SpreadCall(0, tensor(16, 1), target, Location("train.py", 30)))
    (problem,) = target_shape_differs(facts, None)
    assert "broadcasts to [16, 16]: 256 pairs in place of 16" in problem.message
    assert 'batch["y"] [16]' in problem.message
    assert "squeeze(-1)" in problem.hint
    assert problem.location.line == 30


def test_labels_of_words_against_tokens_are_told_by_their_fields(calls, failing):
    found = calls(output=(32, 3), target=(24,), value=None, field='["labels"]')
    inputs = [('["input_ids"]', (4, 8)), ('["attention_mask"]', (4, 8)), ('["labels"]', (4, 6))]
    (problem,) = target_shape_differs(found, failing("cross_entropy", inputs=inputs))
    assert 'batch["labels"] is [4, 6], batch["input_ids"] [4, 8]' in problem.message
    assert "word_ids()" in problem.hint


def test_an_image_of_half_the_size_of_its_mask(calls):
    problem = only(calls(output=(4, 3, 8, 8), target=(4, 16, 16), value=None))
    assert "the height and width of the output, 8x8, not that of the target, 16x16" in (
        problem.message
    )
    assert "F.interpolate" in problem.hint


def test_a_sequence_of_another_length_than_its_labels(calls):
    problem = only(calls(output=(4, 3, 9), target=(4, 8), value=None))
    assert "the length of the output, 9, not that of the target, 8" in problem.message


def test_labels_for_each_place_against_one_row_of_scores(calls):
    problem = only(calls(output=(4, 3), target=(4, 8), value=None))
    assert "one row of scores a sample, but [8] class ids each" in problem.message


def test_the_rows_are_told_by_the_batch(calls, failing):
    found = calls(output=(10, 2), target=(4,), value=None)
    (problem,) = target_shape_differs(found, failing("cross_entropy", inputs=[("[0]", (4, 10))]))
    assert "10 is dimension 1 of batch[0] [4, 10]" in problem.message


def test_weights_that_meet_every_loss_are_found(tensor):
    weights = tensor(16, 1, field="[2]")
    facts = CallFacts(spread=SpreadCall(0, tensor(16), weights, LINE, "mul"))
    (problem,) = target_shape_differs(facts, None)
    assert "times batch[2] [16, 1] broadcasts to [16, 16]" in problem.message
    assert "all samples weigh the same" in problem.message
    assert problem.hint.endswith("weights.squeeze(-1).")
    assert problem.severity is None


def test_weights_that_are_no_field_are_a_warning(tensor):
    facts = CallFacts(spread=SpreadCall(0, tensor(16, 1), tensor(16), LINE, "div"))
    (problem,) = target_shape_differs(facts, None)
    assert "divided by a tensor" in problem.message
    assert problem.hint.endswith("losses.squeeze(-1).")
    assert problem.severity is Severity.WARNING
