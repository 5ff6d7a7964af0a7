from tdebug.pipeline_checks.checks.step.scheduler_before_optimizer import (
    scheduler_before_optimizer,
)


def test_a_scheduler_that_comes_first_names_the_rate_that_is_lost(loop, optimizers):
    held = optimizers(scheduled_lrs=(0.1, 0.05, 0.025))
    (problem,) = scheduler_before_optimizer(loop("zbcs", "zbcs"), held)
    assert "scheduler.step() comes before the first optimizer.step()" in problem.message
    assert "used 0.05, not 0.1" in problem.message
    assert problem.location.line == 12


def test_the_right_order_is_fine(loop):
    assert not list(scheduler_before_optimizer(loop("zbsc", "zbsc"), None))


def test_a_scheduler_after_a_scaler_s_step_is_fine(loop):
    assert not list(scheduler_before_optimizer(loop("zbSc"), None))


def test_a_scheduler_alone_is_left_alone(loop):
    assert not list(scheduler_before_optimizer(loop("bc", "bc"), None))
