from tdebug.pipeline_checks.checks import find_check
from tdebug.pipeline_checks.checks.backward.backward_fails import backward_fails


def test_the_exception_is_shown(failing):
    (problem,) = backward_fails(failing("function returned None", batch=1))
    assert "RuntimeError: function returned None" in problem.message
    assert "batch 1 (samples 2 and 3)" in problem.where
    assert problem.location.line == 30


def test_it_is_a_fallback_that_gives_way_to_others():
    assert find_check("TD404").is_fallback


def test_nothing_raised_is_fine(with_loss):
    assert not list(backward_fails(with_loss(requires_grad=True)))
