import pytest

from tdebug.pipeline_checks.checks.forward.probabilities_instead_of_logits import (
    probabilities_instead_of_logits,
)
from tdebug.pipeline_checks.facts import CallFacts

BCE = "binary_cross_entropy_with_logits"


def test_a_softmax_before_cross_entropy_names_the_loss_it_cannot_go_below(calls):
    found = calls(output=(16, 4), last_function="Softmax", rows_sum_to_one=True)
    (problem,) = probabilities_instead_of_logits(found, None)
    assert "cross entropy" in problem.message
    assert "cannot fall below 0.744" in problem.message
    assert "remove the softmax" in problem.hint


def test_rows_of_three_classes_that_sum_to_one_are_enough(calls):
    found = calls(output=(16, 3), rows_sum_to_one=True)
    assert list(probabilities_instead_of_logits(found, None))


def test_rows_of_two_classes_must_do_so_three_times(loss_call):
    one = loss_call(output=(16, 2), rows_sum_to_one=True)
    assert not list(probabilities_instead_of_logits(CallFacts((one,), (), 1), None))
    assert list(probabilities_instead_of_logits(CallFacts((one, one, one), (), 3), None))


def test_one_batch_of_logits_clears_the_suspicion(loss_call):
    sums = loss_call(output=(16, 3), rows_sum_to_one=True)
    logits = loss_call(output=(16, 3))
    assert not list(probabilities_instead_of_logits(CallFacts((sums, logits), (), 2), None))


@pytest.mark.parametrize("function", ["Sigmoid", "Softmax"])
def test_a_squashed_input_of_bce_with_logits(calls, function):
    found = calls(BCE, (8, 1), (8, 1), last_function=function, input_in_unit=True)
    (problem,) = probabilities_instead_of_logits(found, None)
    assert function.lower() in problem.message


def test_logits_that_happen_to_lie_in_the_unit_interval_are_fine(calls):
    found = calls(BCE, (8, 1), (8, 1), input_in_unit=True)
    assert not list(probabilities_instead_of_logits(found, None))


def test_log_softmax_twice_is_harmless(calls):
    found = calls(output=(16, 4), last_function="LogSoftmax")
    assert not list(probabilities_instead_of_logits(found, None))


def test_nll_loss_of_probabilities(calls):
    found = calls("nll_loss", (16, 4), last_function="Softmax", rows_sum_to_one=True)
    (problem,) = probabilities_instead_of_logits(found, None)
    assert "log_softmax" in problem.hint
