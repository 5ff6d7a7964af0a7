from tdebug.pipeline_checks.checks.forward.single_logit_cross_entropy import (
    single_logit_cross_entropy,
)


def test_cross_entropy_over_one_output_is_found(calls):
    found = calls(output=(4, 1), target=(4, 1), target_dtype="float32", value=0.0)
    (problem,) = single_logit_cross_entropy(found, None)
    assert "[4, 1]" in problem.message
    assert "always 0" in problem.message
    assert "BCEWithLogitsLoss" in problem.hint


def test_two_outputs_are_fine(calls):
    assert not list(single_logit_cross_entropy(calls(output=(4, 2)), None))


def test_a_flat_output_of_one_is_left_alone(calls):
    assert not list(single_logit_cross_entropy(calls(output=(1,), target=()), None))
