"""Evaluation by several processes against that by one, from facts written by hand."""

from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks.distributed.gathered_predictions_differ import (
    gathered_predictions_differ,
)
from tdebug.pipeline_checks.checks.registry import Undecided
from tdebug.pipeline_checks.facts import DistributedFacts, EvaluationFacts
from tdebug.pipeline_checks.facts.distributed import RankFacts
from tdebug.pipeline_checks.facts.evaluation import OwnEvaluation
from tdebug.pipeline_checks.report import Severity

FOUR = (0.0, 1.0, 2.0, 3.0)


def one(num_predictions=4, values=FOUR, num_samples=4, **more):
    return OwnEvaluation(num_samples, "Tensor", num_predictions, values, model_state="m", **more)


def find(alone, *several):
    facts = DistributedFacts(tuple(RankFacts(n, evaluation=e) for n, e in enumerate(several)))
    return list(gathered_predictions_differ(facts, EvaluationFacts(own=alone)))


def test_the_same_results_are_right():
    assert find(one(), one(), one()) == []
    assert find(one(), one(values=(0.0, 1.00001, 2.0, 3.0)), one()) == []


def test_padding_that_is_kept_is_a_warning_with_the_samples():
    alone = one(22, (), 22)
    first = one(24, (), 22, samples=(0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19))
    second = replace(first, samples=(4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 0, 1))

    (problem,) = find(alone, first, second)

    assert problem.severity is Severity.WARNING
    assert "24 predictions for 22 samples: 2 duplicates" in problem.message
    assert problem.where == "samples 0 and 1 are predicted more than once"
    assert "gather_for_metrics" in problem.hint


def test_samples_that_are_lost_are_an_error():
    (problem,) = find(one(22, (), 22), one(20, (), 22), one(20, (), 22))

    assert problem.severity is None
    assert "2 processes give 20 predictions for 22 samples" in problem.message


def test_each_rank_with_its_own_part_is_undecided():
    with pytest.raises(Undecided, match="part of its own"):
        find(one(22, (), 22), one(11, (), 22), one(11, (), 22))
    with pytest.raises(Undecided, match="part of its own"):
        find(one(22, (), 22), one(12, (), 22), one(10, (), 22))


def test_other_values_are_an_error_and_another_order_a_remark():
    (other,) = find(one(), one(values=(0.0, 1.0, 2.0, 9.0)), one())
    (order,) = find(one(), one(values=(0.0, 2.0, 1.0, 3.0)), one())

    assert other.message == "1 of 4 predicted values of 2 processes differ from those of one."
    assert "model.eval()" in other.hint
    assert order.severity is Severity.INFO


def test_random_results_and_another_model_are_undecided():
    other = one(values=(0.0, 1.0, 2.0, 9.0))

    with pytest.raises(Undecided):
        find(one(is_repeatable=False), other, other)
    with pytest.raises(Undecided):
        find(one(), replace(other, model_state="n"), replace(other, model_state="n"))


def test_a_metric_of_each_rank_alone_is_a_warning():
    alone = OwnEvaluation(4, "dict", metrics={"accuracy": 0.75}, model_state="m")
    first, second = (replace(alone, metrics={"accuracy": value}) for value in (0.5, 1.0))

    (problem,) = find(alone, first, second)

    assert problem.severity is Severity.WARNING
    assert problem.message == "accuracy is 0.75 in one process; rank 0: 0.5, rank 1: 1."
    assert find(alone, alone, alone) == []


def test_nothing_is_said_while_a_rank_has_no_result():
    facts = DistributedFacts((RankFacts(0, evaluation=one(24, (), 22)), RankFacts(1)))

    assert list(gathered_predictions_differ(facts, None)) == []
