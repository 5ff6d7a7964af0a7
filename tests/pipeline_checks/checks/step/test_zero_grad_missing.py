import pytest

from tdebug.pipeline_checks.checks.step.zero_grad_missing import zero_grad_missing
from tdebug.pipeline_checks.report import Severity


def test_a_loop_that_never_clears_is_found(loop):
    (problem,) = zero_grad_missing(loop("bs", "bs", "bs", backward_with=True))
    assert "zero_grad() is never called: in 3 batches" in problem.message
    assert problem.severity is None


def test_it_is_a_warning_where_it_is_not_known_what_backward_found(loop):
    (problem,) = zero_grad_missing(loop("bs", "bs"))
    assert problem.severity is Severity.WARNING


def test_gradients_cleared_by_hand_are_fine(loop):
    assert not list(zero_grad_missing(loop("bs", "bs", backward_with=False)))


@pytest.mark.parametrize("batches", [("zbs", "zbs"), ("bsz", "bsz"), ("b", "b", "bs"), ("bs",)])
def test_clearing_and_accumulating_are_fine(loop, batches):
    assert not list(zero_grad_missing(loop(*batches, backward_with=True)))
