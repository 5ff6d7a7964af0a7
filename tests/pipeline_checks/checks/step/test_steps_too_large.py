import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.step.steps_too_large import steps_too_large
from tdebug.pipeline_checks.facts import RepeatFacts, StepFacts, TrainingFacts
from tdebug.pipeline_checks.facts.training import LossFact
from tdebug.pipeline_checks.report import Severity

RETRY = (4e4, 3e4, 2e4)
EXPLODING = (4e4, 9.2e5, 4.7e6, 9.5e6, 2e8)


def found(optimizers, losses, retry=RETRY, step=None, start=None, **more):
    repeat = RepeatFacts(losses, 5e-3, 5e-5, retry)
    training = TrainingFacts(losses=(LossFact(0, "Tensor", value=start),)) if start else None
    return list(steps_too_large(repeat, optimizers(**more), step, training, None))


def test_an_exploding_loss_names_rate_growth_and_update(optimizers):
    step = StepFacts(ratios={"weight": 30.0, "bias": 2.0})
    (problem,) = found(optimizers, EXPLODING, step=step)
    assert "grows from 40000 to 200000000 in 4 steps" in problem.message
    assert "at a learning rate of 0.005" in problem.message
    assert "falls at 5e-05" in problem.message
    assert "one step changed weight by 30 times its size" in problem.message
    assert "lower lr" in problem.hint
    assert problem.severity is None


def test_a_loss_that_becomes_nan_is_an_error(optimizers):
    (problem,) = found(optimizers, (2.0, 9.0, float("nan")))
    assert "to nan" in problem.message


def test_a_loss_that_doubles_is_a_warning(optimizers):
    (problem,) = found(optimizers, (2.0, 2.5, 3.0, 3.5, 4.5))
    assert problem.severity is Severity.WARNING


def test_a_loss_that_only_overshoots_at_first_is_fine(optimizers):
    assert not found(optimizers, (2.3, 5.1, 4.8, 4.0, 3.2))


def test_a_falling_loss_is_fine(optimizers):
    assert not found(optimizers, (2.0, 1.0, 0.5), retry=())


def test_a_loss_that_rises_at_any_rate_is_not_the_rate_s_fault(optimizers):
    assert not found(optimizers, EXPLODING, retry=(4e4, 5e4))


def test_one_step_that_throws_the_loss_far_off_is_an_error(optimizers):
    losses = (6.2e6, 9e6, 5e5, 4e6, 1.6e6, 2.7e5)
    (problem,) = found(optimizers, losses, retry=(), start=6.4)
    assert "jumps from 6.4 to 6200000 in the first step" in problem.message
    assert "still 270000 after 5 more steps" in problem.message


def test_a_loss_that_comes_back_at_once_is_fine(optimizers):
    assert not found(optimizers, (640.0, 90.0, 20.0, 8.0, 6.0, 5.0), retry=(), start=6.4)


def test_what_tdebug_made_up_is_no_subject(optimizers):
    assert not found(optimizers, EXPLODING, is_made_up=True)


def test_what_was_not_tried_is_undecided(optimizers):
    repeat = RepeatFacts(not_tried_because="the loop is the user's own")
    with pytest.raises(Undecided):
        list(steps_too_large(repeat, optimizers(), None, None, None))


FALLING = (4e4, 3e4, 2e4, 1e4, 5e3)


def test_a_step_that_overturns_every_matrix_is_a_warning(optimizers, model):
    step = StepFacts(ratios={"a.weight": 33.0, "b.weight": 120.0, "a.bias": 2.0})
    net = model("a.weight", "b.weight", "a.bias", shapes={"a.bias": (3,)})
    (problem,) = steps_too_large(RepeatFacts(FALLING, 10.0), optimizers(), step, None, net)
    assert "all 2 weight matrices by 33 to 120 times their own size" in problem.message
    assert problem.severity is Severity.WARNING


@pytest.mark.parametrize("ratios", [{"a.weight": 33.0, "b.weight": 0.1}, {"a.weight": 33.0}])
def test_one_matrix_that_starts_small_is_fine(optimizers, model, ratios):
    step = StepFacts(ratios=ratios)
    net = model(*ratios)
    assert not list(steps_too_large(RepeatFacts(FALLING, 0.1), optimizers(), step, None, net))


def test_matrices_that_start_at_zero_have_no_size(optimizers, model):
    step = StepFacts(ratios={"a.weight": 1e10, "b.weight": 33.0})
    net = model("a.weight", "b.weight")
    assert not list(steps_too_large(RepeatFacts(FALLING, 0.1), optimizers(), step, None, net))


def test_matrices_that_start_tiny_are_meant_to_grow(optimizers, model):
    ratios, sizes = {"a.weight": 33.0, "b.weight": 30.0}, {"a.weight": 0.003, "b.weight": 0.003}
    step = StepFacts(ratios=ratios, sizes=sizes)
    assert not list(steps_too_large(RepeatFacts(FALLING), optimizers(), step, None, model(*ratios)))
