import pytest

from tdebug.pipeline_checks.checks.forward.bce_target_out_of_range import bce_target_out_of_range

BCE = "binary_cross_entropy_with_logits"


@pytest.mark.parametrize(
    ("low", "high", "advice"),
    [
        (-1.0, 1.0, "(y + 1) / 2"),
        (0.0, 255.0, "by 255"),
        (1.0, 2.0, "subtract 1"),
        (0.0, 4.0, "cross entropy"),
        (-100.0, 1.0, "not ignored"),
        (-0.3, 1.7, "regression"),
    ],
)
def test_each_kind_of_target_has_its_own_advice(calls, low, high, advice):
    found = calls(BCE, (8, 1), (8, 1), target_dtype="float32", target_min=low, target_max=high)
    (problem,) = bce_target_out_of_range(found, None)
    assert "between 0 and 1" in problem.message
    assert advice in problem.hint


def test_probabilities_as_targets_are_fine(calls):
    found = calls(BCE, (8, 1), (8, 1), target_min=0.05, target_max=0.95)
    assert not list(bce_target_out_of_range(found, None))


def test_other_losses_take_any_target(calls):
    found = calls("mse_loss", (8, 1), (8, 1), target_min=-4.0, target_max=9.0)
    assert not list(bce_target_out_of_range(found, None))
