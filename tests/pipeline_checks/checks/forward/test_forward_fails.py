from tdebug.pipeline_checks.checks import find_check
from tdebug.pipeline_checks.checks.forward.forward_fails import forward_fails


def test_the_exception_is_shown_with_module_batch_and_fields(failing, error):
    training = failing(
        inputs=[("[0]", (4, 3))],
        raised=error("KeyError", "'mask'"),
        module="enc",
        module_type="Encoder",
    )
    (problem,) = forward_fails(training, None)
    assert "Encoder 'enc' raised KeyError: 'mask'" in problem.message
    assert "batch 0 (samples 0 to 3)" in problem.where
    assert "batch[0] [4, 3] float32" in problem.hint
    assert problem.location.line == 12


def test_it_is_a_fallback_that_gives_way_to_others():
    assert find_check("TD305").is_fallback


def test_an_exit_is_left_to_its_own_check(failing, error):
    assert not list(forward_fails(failing(raised=error("SystemExit", "1")), None))
