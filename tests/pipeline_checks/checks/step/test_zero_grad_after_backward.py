import pytest

from tdebug.pipeline_checks.checks.step.zero_grad_after_backward import zero_grad_after_backward


def test_gradients_cleared_before_the_step_are_found(loop):
    (problem,) = zero_grad_after_backward(loop("bzs", "bzs", stepped_without=False), None)
    assert "zero_grad() (train.py:11) runs after backward() and before step()" in problem.message
    assert problem.location.line == 11


def test_gradients_set_to_zero_but_kept_are_found_by_their_effect(loop):
    step = loop("bzs", "bzs", stepped_without=True, num_changed=0)
    assert list(zero_grad_after_backward(step, None))


@pytest.mark.parametrize("order", ["zbs", "bsz", "zbbs", "zbSu"])
def test_every_right_order_is_fine(loop, order):
    assert not list(zero_grad_after_backward(loop(order, order, stepped_without=False), None))


def test_gradients_that_are_put_back_by_hand_are_fine(loop):
    step = loop("bzs", "bzs", stepped_without=True, num_changed=4)
    assert not list(zero_grad_after_backward(step, None))


def test_now_and_then_is_not_always(loop):
    assert not list(zero_grad_after_backward(loop("bzs", "zbs", stepped_without=False), None))
