from tdebug.pipeline_checks.checks.step.weights_non_finite_after_step import (
    weights_non_finite_after_step,
)
from tdebug.pipeline_checks.facts import GradientFacts, StepFacts
from tdebug.pipeline_checks.facts.training import BadGradient

STEP = StepFacts(was_taken=True, bad_after=("a.weight", "a.bias"))


def test_weights_that_a_step_made_nan_are_named(optimizers):
    (problem,) = weights_non_finite_after_step(STEP, optimizers("Adam", 1e-3), GradientFacts(1))
    assert "the step of Adam made 2 parameters nan or inf" in problem.message
    assert "a.weight and a.bias" in problem.message


def test_bad_gradients_are_the_cause_where_there_are_any(optimizers):
    gradients = GradientFacts(1, bad=(BadGradient("a.weight", 0, "nan", 1, 1),))
    assert not list(weights_non_finite_after_step(STEP, optimizers(), gradients))


def test_finite_weights_are_fine(optimizers):
    assert not list(weights_non_finite_after_step(StepFacts(was_taken=True), optimizers(), None))
