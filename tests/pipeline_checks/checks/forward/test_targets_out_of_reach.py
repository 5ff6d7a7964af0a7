from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks.forward.targets_out_of_reach import targets_out_of_reach
from tdebug.pipeline_checks.facts import CallFacts


@pytest.fixture
def find(loss_call):
    def run(function, low, high, loss="mse_loss", **options):
        call = loss_call(loss, (8, 1), (8, 1), last_function=function, target_dtype="float32")
        call = replace(call, options=options)
        call = replace(call, target=replace(call.target, min=low, max=high))
        return list(targets_out_of_reach(CallFacts((call,)), None))

    return run


@pytest.mark.parametrize(
    ("function", "low", "high", "gives"),
    [
        ("Sigmoid", 20.0, 80.0, "gives 0 to 1, but batch[1] runs from 20 to 80"),
        ("Tanh", 0.0, 255.0, "gives -1 to 1"),
        ("Softmax", -9.0, 0.5, "gives 0 to 1"),
        ("Relu", -6.0, -3.0, "gives 0 and more"),
        ("Relu", -2.0, 2.0, "gives 0 and more"),
    ],
)
def test_targets_beyond_the_activation_are_found_with_both_ranges(find, function, low, high, gives):
    [problem] = find(function, low, high)
    assert gives in problem.message
    assert f"take the {function.lower()} away" in problem.hint


@pytest.mark.parametrize(
    ("function", "low", "high", "loss"),
    [
        ("Sigmoid", 0.0, 1.0, "mse_loss"),
        ("Sigmoid", -0.2, 1.3, "mse_loss"),
        ("Tanh", -2.5, 2.5, "l1_loss"),
        ("Relu", -0.1, 9.0, "mse_loss"),
        ("Relu", 0.0, 900.0, "huber_loss"),
        ("", -50.0, 80.0, "mse_loss"),
        ("Sigmoid", 0.0, 9.0, "poisson_nll_loss"),
    ],
)
def test_targets_within_or_a_little_beyond_are_free(find, function, low, high, loss):
    assert not find(function, low, high, loss)


def test_what_stands_for_a_missing_target_may_be_masked_in_a_loss_of_single_targets(find):
    assert find("Sigmoid", -999.0, 1.0, reduction="mean")
    assert not find("Sigmoid", -999.0, 1.0, reduction="none")
