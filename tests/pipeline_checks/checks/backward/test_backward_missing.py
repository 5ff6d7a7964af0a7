from dataclasses import replace

from tdebug.pipeline_checks.checks.backward.backward_missing import backward_missing
from tdebug.pipeline_checks.facts import GradientFacts, StepFacts, TrainingFacts
from tdebug.pipeline_checks.facts.step import StepCall
from tdebug.pipeline_checks.report import Location

ZERO, STEP = (
    StepCall("zero_grad"),
    StepCall("step", 0, Location("train.py", 9), had_gradients=False),
)
LOOP = StepFacts(was_taken=True, calls=((ZERO, STEP), (ZERO, STEP)))
OWN = TrainingFacts("train_step")


def test_a_loop_without_backward_is_found():
    (problem,) = backward_missing(LOOP, GradientFacts(), OWN)
    assert "backward() is never called in 2 batches" in problem.message
    assert "2 optimizer steps changed nothing" in problem.message
    assert problem.location.line == 9


def test_a_loop_that_goes_back_is_fine():
    assert not list(backward_missing(LOOP, GradientFacts(2), OWN))


def test_gradients_by_autograd_grad_or_in_a_closure_are_fine():
    own = replace(STEP, had_gradients=True)
    closure = replace(STEP, has_closure=True)
    for step in (own, closure):
        facts = StepFacts(was_taken=True, calls=((step,), (step,)))
        assert not list(backward_missing(facts, GradientFacts(), OWN))


def test_parameters_that_change_without_backward_are_fine():
    assert not list(backward_missing(replace(LOOP, num_changed=3), GradientFacts(), OWN))


def test_the_loop_of_tdebug_is_no_loop_of_the_users():
    assert not list(backward_missing(LOOP, GradientFacts(), TrainingFacts("pair")))
