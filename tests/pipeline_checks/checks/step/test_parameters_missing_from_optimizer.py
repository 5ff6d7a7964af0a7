import pytest

from tdebug.pipeline_checks.checks.step.parameters_missing_from_optimizer import (
    parameters_missing_from_optimizer,
)
from tdebug.pipeline_checks.facts import GradientFacts
from tdebug.pipeline_checks.report import Severity

NAMES = ("enc.weight", "enc.bias", "mid.weight", "mid.bias", "head.weight", "head.bias")
ALL = GradientFacts(2, NAMES)


def found(model, optimizers, *missing, gradients=ALL, **more):
    return list(
        parameters_missing_from_optimizer(
            optimizers(missing=missing, **more), model(*NAMES), gradients
        )
    )


def test_a_head_that_no_optimizer_holds_is_an_error(model, optimizers):
    (problem,) = found(model, optimizers, *NAMES[4:])
    assert "2 of 6 trainable parameters are in no optimizer" in problem.message
    assert "head" in problem.message
    assert problem.severity is None


def test_biases_left_out_of_the_groups_are_an_error(model, optimizers):
    (problem,) = found(model, optimizers, "enc.bias", "mid.bias", "head.bias")
    assert problem.severity is None


def test_a_part_before_the_trained_ones_is_a_warning(model, optimizers):
    (problem,) = found(model, optimizers, *NAMES[:2])
    assert problem.severity is Severity.WARNING


def test_training_only_the_head_without_freezing_the_rest_is_a_warning(model, optimizers):
    (problem,) = found(model, optimizers, *NAMES[:4])
    assert "If only what comes after them is meant to be trained" in problem.message
    assert problem.severity is Severity.WARNING


def test_parameters_without_gradients_are_another_matter(model, optimizers):
    gradients = GradientFacts(2, NAMES[:4])
    assert not found(model, optimizers, *NAMES[4:], gradients=gradients)


@pytest.mark.parametrize("more", [{"is_made_up": True}, {}])
def test_a_full_or_made_up_optimizer_is_fine(model, optimizers, more):
    assert not found(model, optimizers, *(NAMES[4:] if more else ()), **more)


def test_what_was_unfrozen_after_the_optimizer_was_built_is_an_error(model, optimizers):
    frozen_then = model(*NAMES, frozen=NAMES[:4])
    (problem,) = parameters_missing_from_optimizer(optimizers(missing=NAMES[:4]), frozen_then, ALL)
    assert "4 of 6 trainable parameters are in no optimizer" in problem.message
    assert "frozen when the model was built and unfrozen later" in problem.message
    assert "add_param_group" in problem.hint
    assert problem.severity is None
