import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.step.learning_rate_zero import learning_rate_zero
from tdebug.pipeline_checks.facts import LoadFacts, StepFacts
from tdebug.pipeline_checks.facts.load import PartFact


def test_a_rate_of_zero_is_found(optimizers):
    (problem,) = learning_rate_zero(optimizers(lr=0.0))
    assert "learning rate of SGD is 0" in problem.message
    assert "lr=1e-3" in problem.hint


def test_a_scheduler_that_keeps_it_at_zero_is_named(optimizers):
    held = optimizers(lr=0.0, scheduler="LambdaLR", scheduled_lrs=(0.0,) * 50)
    (problem,) = learning_rate_zero(held)
    assert "LambdaLR keeps it there in its first 50 steps" in problem.message


def test_a_warm_up_from_zero_is_fine(optimizers):
    held = optimizers(lr=0.0, scheduler="LambdaLR", scheduled_lrs=(0.0, 1e-5, 2e-5))
    assert not list(learning_rate_zero(held))


def test_a_scheduler_that_cannot_be_simulated_is_undecided(optimizers):
    with pytest.raises(Undecided):
        list(learning_rate_zero(optimizers(lr=0.0, scheduler="ReduceLROnPlateau")))


@pytest.mark.parametrize("lr", [1e-9, 0.1, None])
def test_any_other_rate_is_fine(optimizers, lr):
    assert not list(learning_rate_zero(optimizers(lr=lr)))


LOOP = LoadFacts((PartFact("train_step", "train.py"),))


def test_a_loop_of_the_users_own_may_set_the_rate_itself(optimizers):
    with pytest.raises(Undecided):
        list(learning_rate_zero(optimizers(lr=0.0), LOOP))
    assert not list(learning_rate_zero(optimizers(lr=0.0), LOOP, StepFacts(num_changed=4)))


def test_a_rate_of_zero_that_the_loop_leaves_is_found(optimizers):
    assert list(learning_rate_zero(optimizers(lr=0.0), LOOP, StepFacts(num_changed=0)))
