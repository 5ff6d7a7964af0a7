from tdebug.pipeline_checks.checks.step.step_before_backward import step_before_backward
from tdebug.pipeline_checks.report import Severity


def test_a_step_before_backward_uses_the_batch_before(loop):
    (problem,) = step_before_backward(loop("szb", "szb"))
    assert "those of the batch before" in problem.message
    assert problem.severity is None


def test_with_zero_grad_before_it_nothing_is_ever_trained(loop):
    (problem,) = step_before_backward(loop("zsb", "zsb"))
    assert "no step ever has any" in problem.message
    assert problem.severity is Severity.ERROR


def test_the_right_order_is_fine(loop):
    assert not list(step_before_backward(loop("zbs", "zbs")))


def test_two_steps_around_two_backwards_are_fine(loop):
    assert not list(step_before_backward(loop("zbszbs", "zbszbs")))
