import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.backward.non_finite_gradient import non_finite_gradient
from tdebug.pipeline_checks.facts import GradientFacts, NumericsFacts
from tdebug.pipeline_checks.facts.numerics import OriginFact
from tdebug.pipeline_checks.facts.training import BadGradient
from tdebug.pipeline_checks.report import Location, Stage

BAD = (BadGradient("net.weight", 0, "nan", 4, 4), BadGradient("net.bias", 0, "nan", 1, 4))


def test_parameters_batch_and_origin_are_named(with_loss):
    origin = OriginFact(
        Stage.BACKWARD, 0, "div", "nan", indices=(1,), location=Location("ratio.py", 4)
    )
    (problem,) = non_finite_gradient(
        GradientFacts(1, bad=BAD), with_loss(requires_grad=True), NumericsFacts((origin,))
    )
    assert "net.weight (nan in all 4 values) and net.bias (nan in 1 of 4 values)" in problem.message
    assert "although its loss is 0.7" in problem.message
    assert "it began in the backward of div" in problem.message
    assert "dataset[1]" in problem.where
    assert "the denominator is zero" in problem.hint
    assert problem.location.line == 4


def test_without_an_origin_it_says_how_to_look(with_loss):
    (problem,) = non_finite_gradient(GradientFacts(1, bad=BAD), with_loss(), None)
    assert "detect_anomaly" in problem.hint


def test_scaled_gradients_are_undecided(with_loss):
    with pytest.raises(Undecided):
        list(non_finite_gradient(GradientFacts(1, bad=BAD, is_scaled=True), with_loss(), None))


def test_finite_gradients_are_fine(with_loss):
    assert not list(non_finite_gradient(GradientFacts(1), with_loss(), None))


def test_the_operator_of_the_forward_is_named_not_the_one_its_gradient_is_computed_with(with_loss):
    origin = OriginFact(Stage.BACKWARD, 0, "div", "nan", node="SqrtBackward0")
    (problem,) = non_finite_gradient(
        GradientFacts(1, bad=BAD), with_loss(), NumericsFacts((origin,))
    )
    assert "it began in the backward of sqrt" in problem.message
    assert "eps" in problem.hint
