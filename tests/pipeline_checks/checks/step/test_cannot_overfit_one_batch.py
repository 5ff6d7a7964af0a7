import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.step.cannot_overfit_one_batch import cannot_overfit_one_batch
from tdebug.pipeline_checks.facts import RepeatFacts

RISING = (1.0, 1.1, 1.2, 1.3, 1.4, 1.5)


def found(optimizers, losses, retry=()):
    repeat = RepeatFacts(losses, 0.1, 0.001, retry)
    return list(cannot_overfit_one_batch(repeat, optimizers()))


def test_a_loss_that_rises_at_any_rate_is_found(optimizers):
    (problem,) = found(optimizers, RISING, (1.0, 1.01, 1.02))
    assert "1, 1.1, 1.2, 1.3, ... 1.5 in 5 steps" in problem.message
    assert "does not fall at a learning rate of 0.001 either" in problem.message


def test_a_loss_that_falls_at_a_smaller_rate_is_fine_here(optimizers):
    assert not found(optimizers, RISING, (1.0, 0.9))


@pytest.mark.parametrize(
    "losses", [(1.0, 0.7, 1.4, 0.9, 1.3, 1.3), (1.0, 1.0, 1.0, 1.0, 1.0), (1.0, 1.5)]
)
def test_noise_a_flat_loss_or_two_steps_are_no_proof(optimizers, losses):
    assert not found(optimizers, losses, (1.0, 1.1))


def test_without_an_optimizer_it_is_undecided(optimizers):
    with pytest.raises(Undecided):
        list(cannot_overfit_one_batch(RepeatFacts(RISING), optimizers(is_made_up=True)))


def test_a_score_that_is_maximised_rises_by_right(optimizers):
    repeat = RepeatFacts(RISING, 0.1, 0.001, (1.0, 1.01, 1.02))
    with pytest.raises(Undecided):
        list(cannot_overfit_one_batch(repeat, optimizers(numbers={"maximize": 1.0})))
