import pytest

from tdebug.pipeline_checks.checks.step.clipping_leaves_nothing import clipping_leaves_nothing
from tdebug.pipeline_checks.facts import GradientFacts, StepFacts
from tdebug.pipeline_checks.facts.step import StepCall
from tdebug.pipeline_checks.report import Severity

GRADIENTS = GradientFacts(3, ("w",), totals=((0, 0.8), (1, 2.0), (2, 0.9)))


def loop(limit, ratio=1e-9):
    calls = (StepCall("backward"), StepCall("clip", limit=limit), StepCall("step", 0))
    return StepFacts(was_taken=True, ratios={"w": ratio}, calls=(calls,) * 3)


def test_clipping_to_0_is_an_error():
    (problem,) = clipping_leaves_nothing(loop(0.0, ratio=0.1), GRADIENTS)
    assert "clipped to 0 in each of 3 steps, from a norm of at least 0.8" in problem.message
    assert problem.severity is Severity.ERROR


def test_clipping_to_so_little_that_nothing_moves_is_a_warning():
    (problem,) = clipping_leaves_nothing(loop(1e-6), GRADIENTS)
    assert "next to nothing is left, and 3 steps moved no weight visibly" in problem.message
    assert problem.severity is None


@pytest.mark.parametrize(("limit", "ratio"), [(1.0, 1e-9), (1e-6, 1e-3), (None, 0.1)])
def test_usual_limits_adam_and_limits_that_are_not_known_are_fine(limit, ratio):
    assert not list(clipping_leaves_nothing(loop(limit, ratio), GRADIENTS))
