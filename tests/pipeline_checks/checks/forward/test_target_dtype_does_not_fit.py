from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks.forward.target_dtype_does_not_fit import (
    target_dtype_does_not_fit,
)
from tdebug.pipeline_checks.facts import CallFacts
from tdebug.pipeline_checks.report import Stage

BCE = "binary_cross_entropy_with_logits"


def only(calls, training=None):
    (problem,) = target_dtype_does_not_fit(calls, training)
    return problem


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "bool"])
def test_a_multi_hot_target_of_integers_needs_float(calls, dtype):
    found = calls(BCE, (4, 6), (4, 6), target_dtype=dtype, value=None, module="BCEWithLogitsLoss")
    problem = only(found)
    assert f"batch[1] is {dtype} [4, 6], which BCEWithLogitsLoss does not take" in problem.message
    assert "labels.float()" in problem.hint


@pytest.mark.parametrize("dtype", ["float32", "int32", "bool"])
def test_class_ids_must_be_int64(calls, dtype):
    problem = only(calls(output=(4, 3), target=(4,), target_dtype=dtype, value=None))
    assert ".long()" in problem.hint


def test_one_hot_integers_for_cross_entropy(calls):
    problem = only(calls(output=(4, 3), target=(4, 3), value=None))
    assert "target.argmax(1)" in problem.hint


def test_integers_that_only_backward_refuses(calls, failing):
    training = failing()
    failure = replace(training.failures[0], stage=Stage.BACKWARD)
    training = replace(training, failures=(failure,))
    problem = only(calls("huber_loss", (4,), (4,)), training)
    assert problem.stage is Stage.BACKWARD


@pytest.mark.parametrize("dtype", ["int64", "bool"])
def test_integers_that_a_loss_promotes_are_fine(calls, dtype):
    found = calls("mse_loss", (4,), (4,), target_dtype=dtype)
    assert not list(target_dtype_does_not_fit(found, None))


def test_float_probabilities_for_cross_entropy_are_fine(calls):
    found = calls(output=(4, 3), target=(4, 3), target_dtype="float32")
    assert not list(target_dtype_does_not_fit(found, None))


def test_a_shape_error_is_left_to_the_check_of_shapes(calls):
    found = calls(BCE, (4, 1), (4,), target_dtype="float32", value=None)
    assert not list(target_dtype_does_not_fit(found, None))


@pytest.mark.parametrize("function", ["cross_entropy", "binary_cross_entropy_with_logits"])
def test_arguments_in_the_wrong_order_are_said_to_be_so(loss_call, function):
    call = loss_call(function, output=(4,), target=(4, 3), target_dtype="float32", value=None)
    swapped = replace(
        call,
        input=replace(call.input, dtype="int64", field="[1]", requires_grad=False),
        target=replace(call.target, field=None, requires_grad=True),
    )
    (problem,) = target_dtype_does_not_fit(CallFacts((swapped,)), None)
    assert "its arguments in the wrong order: batch[1] (int64 [4]) stands first" in problem.message
    assert f"{function}(output, target)" in problem.hint
