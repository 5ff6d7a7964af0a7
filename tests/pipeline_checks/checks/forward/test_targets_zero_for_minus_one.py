from tdebug.pipeline_checks.checks.forward.targets_zero_for_minus_one import (
    targets_zero_for_minus_one,
)
from tdebug.pipeline_checks.facts import CallFacts


def find(*calls):
    return list(targets_zero_for_minus_one(CallFacts(calls), None))


def ranking(loss_call, *signs, **more):
    return loss_call("margin_ranking_loss", (8,), (8,), signs=signs, target_dtype="float32", **more)


def test_zeros_and_ones_without_minus_one_are_found_over_all_batches(loss_call):
    [problem] = find(ranking(loss_call, 0, 3, 5), ranking(loss_call, 0, 4, 4))
    assert "holds 7 times 0, 9 times 1 and never -1" in problem.message
    assert "gives the margin" in problem.message
    assert "2 * y - 1" in problem.hint


def test_a_minus_one_in_another_batch_makes_the_zeros_ties(loss_call):
    assert not find(ranking(loss_call, 0, 3, 5), ranking(loss_call, 1, 3, 4))


def test_few_zeros_other_values_and_targets_made_on_the_spot_are_free(loss_call):
    assert not find(ranking(loss_call, 0, 1, 7))
    assert not find(ranking(loss_call, 0, 3, 3))
    assert not find(ranking(loss_call, 0, 8, 0))
    assert not find(ranking(loss_call, 0, 3, 5, field=None))
