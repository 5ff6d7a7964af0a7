from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks.step.parameters_unchanged import parameters_unchanged
from tdebug.pipeline_checks.facts import StepFacts
from tdebug.pipeline_checks.report import Severity

NAMES = ("a.weight", "a.bias", "b.weight", "b.bias")


def found(step, held, model):
    return list(parameters_unchanged(step, held, model, None))


def test_a_step_that_changes_nothing_is_an_error(model, optimizers):
    step = StepFacts(was_taken=True, unchanged=NAMES)
    (problem,) = found(step, optimizers(), model(*NAMES))
    assert "all 4 parameters are unchanged after a step" in problem.message
    assert problem.severity is None


def test_updates_lost_in_bfloat16_are_explained(model, optimizers):
    step = StepFacts(was_taken=True, num_changed=1, unchanged=NAMES[:3])
    (problem,) = found(step, optimizers(lr=1e-5), model(*NAMES, dtype="bfloat16"))
    assert "the weights are bfloat16" in problem.message
    assert problem.severity is Severity.WARNING
    assert "float32" in problem.hint


def test_a_few_unchanged_parameters_are_fine(model, optimizers):
    step = StepFacts(was_taken=True, num_changed=3, unchanged=NAMES[:1])
    assert not found(step, optimizers(), model(*NAMES, dtype="bfloat16"))


@pytest.mark.parametrize("more", [{"lr": 0.0}, {"is_made_up": True}, {"lr": None}])
def test_a_warm_up_from_zero_or_a_made_up_optimizer_is_fine(model, optimizers, more):
    step = StepFacts(was_taken=True, unchanged=NAMES)
    assert not found(step, optimizers(**more), model(*NAMES))


def test_a_skipped_step_is_fine(model, optimizers):
    step = StepFacts(was_taken=True, was_skipped=True, unchanged=NAMES)
    assert not found(step, optimizers(), model(*NAMES))


def test_cleared_gradients_are_left_to_their_own_check(model, optimizers, loop):
    step = replace(loop("bzs", "bzs"), unchanged=NAMES)
    assert not found(step, optimizers(), model(*NAMES))


def test_a_loop_that_never_steps_is_found(model, optimizers, loop):
    step = replace(loop("zb", "zb", "zb"), was_taken=False)
    (problem,) = found(step, optimizers(), model(*NAMES))
    assert "optimizer.step() is never called: in 3 batches" in problem.message


def test_a_loop_that_accumulates_over_many_batches_is_fine(model, optimizers, loop):
    step = replace(loop("b", "b", "b"), was_taken=False)
    assert not found(step, optimizers(), model(*NAMES))


def test_the_users_own_loop_is_looked_at_whoever_made_the_optimizer(model, optimizers, loop):
    never = replace(loop("zb", "zb"), was_taken=False)
    (problem,) = found(never, optimizers(is_made_up=True), model(*NAMES))
    assert "optimizer.step() is never called" in problem.message
    undone = replace(loop("zbs", "zbs"), unchanged=NAMES)
    (problem,) = found(undone, optimizers(is_made_up=True), model(*NAMES))
    assert "all 4 parameters are unchanged" in problem.message


def test_the_first_step_of_a_warm_up_is_fine(model, optimizers):
    held = optimizers(lr=5e-11, scheduler="SequentialLR", scheduled_lrs=(5e-11, 5e-3, 1e-2))
    step = StepFacts(was_taken=True, unchanged=NAMES)
    assert not found(step, held, model(*NAMES))


def test_a_loop_that_changes_the_weights_by_other_means_is_fine(model, optimizers, loop):
    step = replace(loop("zb", "zb", "zb"), was_taken=False, num_changed=4)
    assert not found(step, optimizers(), model(*NAMES))
