import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.forward.loss_unusual_at_start import loss_unusual_at_start
from tdebug.pipeline_checks.facts import CallFacts
from tdebug.pipeline_checks.report import Severity


def test_a_loss_near_an_even_guess_is_fine(calls):
    assert not list(
        loss_unusual_at_start(calls(output=(8, 10), target=(8,), value=2.4), None, None)
    )


def test_a_loss_ten_times_an_even_guess_is_a_warning(calls):
    found = calls(output=(8, 10), target=(8,), value=23.0, made_by="AddmmBackward0")
    (problem,) = loss_unusual_at_start(found, None, None)
    assert problem.severity is Severity.WARNING
    assert "even guess over 10 classes gives 2.303" in problem.message


def test_a_small_loss_is_only_said_for_information(calls):
    found = calls(output=(8, 10), target=(8,), value=0.1)
    (problem,) = loss_unusual_at_start(found, None, None)
    assert problem.severity is None


def test_a_large_loss_over_tokens_is_only_said_for_information(calls):
    found = calls(output=(8, 40, 12), target=(8, 12), value=30.0)
    (problem,) = loss_unusual_at_start(found, None, None)
    assert problem.severity is None


@pytest.mark.parametrize(
    "more",
    [
        {"options": {"has_weight": True}},
        {"options": {"label_smoothing": 0.1}},
        {"options": {"reduction": "sum"}},
        {"target_dtype": "float32"},
        {"value": None},
    ],
)
def test_a_loss_that_starts_elsewhere_by_right_is_undecided(calls, more):
    with pytest.raises(Undecided):
        list(loss_unusual_at_start(calls(**{"value": 23.0, **more}), None, None))


def test_a_scale_on_cosines_is_only_said_for_information(calls):
    found = calls(output=(8, 10), target=(8,), value=23.0, made_by="MulBackward0")
    (problem,) = loss_unusual_at_start(found, None, None)
    assert problem.severity is None


def test_the_start_is_the_mean_over_the_batches(loss_call):
    first = loss_call(output=(8, 10), target=(8,), value=0.0)
    second = loss_call(output=(8, 10), target=(8,), value=4.6)
    assert not list(loss_unusual_at_start(CallFacts((first, second), (), 2), None, None))
