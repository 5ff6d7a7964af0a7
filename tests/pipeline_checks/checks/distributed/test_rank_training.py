"""Whether ranks that train together stay equal, from facts written by hand."""

import pytest

from tdebug.pipeline_checks.checks.distributed.gradients_differ_across_ranks import (
    gradients_differ_across_ranks,
)
from tdebug.pipeline_checks.checks.distributed.parameters_differ_after_step import (
    parameters_differ_after_step,
)
from tdebug.pipeline_checks.checks.distributed.wrapper_waits_for_unused_parameters import (
    wrapper_waits_for_unused_parameters,
)
from tdebug.pipeline_checks.checks.registry import Undecided
from tdebug.pipeline_checks.facts import DistributedFacts, LoadFacts
from tdebug.pipeline_checks.facts.distributed import RankFacts, RankStep, RankTraining
from tdebug.pipeline_checks.facts.load import PartFact
from tdebug.pipeline_checks.report import Severity

DDP = "DistributedDataParallel"
EQUAL = {"a": "1", "b": "1"}


def ranks(*training, **more):
    facts = enumerate(training)
    return DistributedFacts(tuple(RankFacts(n, training=one, **more) for n, one in facts))


def trained(*steps, averaged_by=DDP, before=EQUAL, **more):
    numbered = enumerate(steps)
    return RankTraining(
        averaged_by=averaged_by,
        before=before,
        steps=tuple(RankStep(n, gradients, after) for n, (gradients, after) in numbered),
        **more,
    )


SAME = ({"a": "g", "b": "h"}, {"a": "2", "b": "2"})


def test_equal_gradients_and_parameters_are_right():
    facts = ranks(trained(SAME, SAME), trained(SAME, SAME))

    assert list(gradients_differ_across_ranks(facts)) == []
    assert list(parameters_differ_after_step(facts)) == []
    assert list(wrapper_waits_for_unused_parameters(facts)) == []


def test_the_first_step_whose_gradients_differ_is_told_and_nothing_that_follows_from_it():
    odd = ({"a": "g", "b": "x"}, {"a": "2", "b": "3"})
    facts = ranks(trained(SAME, SAME), trained(SAME, odd), trained(SAME, SAME))

    (problem,) = gradients_differ_across_ranks(facts)

    assert problem.message == (
        "the gradients of 1 of 2 parameters differ across the ranks in step 1: 'b'."
    )
    assert "'b' is one thing on ranks 0 and 2 and another on rank 1" in problem.where
    assert list(parameters_differ_after_step(facts)) == []


def test_a_gradient_that_one_rank_lacks_is_said_to_be_lacking():
    facts = ranks(trained(SAME), trained(({"a": "g", "b": ""}, SAME[1])))

    (problem,) = gradients_differ_across_ranks(facts)

    assert problem.where.endswith("'b': rank 0: a gradient, rank 1: none")


def test_what_started_different_is_split_on_purpose_or_told_by_another_check():
    mine, yours = {"a": "1", "b": "1"}, {"a": "1", "b": "2"}
    odd = ({"a": "g", "b": "x"}, {"a": "2", "b": "3"})
    facts = ranks(trained(SAME, before=mine), trained(odd, before=yours))

    assert list(gradients_differ_across_ranks(facts)) == []
    assert list(parameters_differ_after_step(facts)) == []


def test_parameters_outside_of_what_is_wrapped_are_a_warning():
    odd = ({"a": "g", "b": "x"}, {"a": "2", "b": "3"})
    facts = ranks(trained(SAME, unwrapped=("b",)), trained(odd, unwrapped=("b",)))

    (problem,) = gradients_differ_across_ranks(facts)

    assert problem.severity is Severity.WARNING
    assert "wrap the whole model" in problem.hint


def test_a_trainers_compute_loss_is_told_which_model_to_call():
    odd = ({"a": "x", "b": "x"}, {"a": "3", "b": "3"})

    (problem,) = gradients_differ_across_ranks(
        ranks(trained(SAME), trained(odd)), LoadFacts((PartFact("trainer"),))
    )

    assert "self.model" in problem.hint


@pytest.mark.parametrize(
    ("training", "more"),
    [
        (RankTraining(why_not="Lightning wraps the model when it trains"), {}),
        (trained(averaged_by=""), {"mentions": ("accelerate",)}),
        (trained(averaged_by="", called_collectives=True), {}),
    ],
)
def test_what_the_script_may_do_elsewhere_is_undecided(training, more):
    with pytest.raises(Undecided):
        list(gradients_differ_across_ranks(ranks(training, training, **more)))
    with pytest.raises(Undecided):
        list(parameters_differ_after_step(ranks(training, training, **more)))


def test_a_communication_hook_may_leave_gradients_different():
    odd = ({"a": "x", "b": "x"}, {"a": "3", "b": "3"})
    facts = ranks(trained(SAME, has_own_hook=True), trained(odd, has_own_hook=True))

    with pytest.raises(Undecided):
        list(gradients_differ_across_ranks(facts))


def test_a_model_that_nothing_wraps_is_a_remark():
    training = trained(averaged_by="")

    (problem,) = gradients_differ_across_ranks(ranks(training, training))

    assert problem.severity is Severity.INFO


def test_equal_gradients_that_are_applied_in_another_way_are_found():
    facts = ranks(trained(SAME), trained((SAME[0], {"a": "2", "b": "9"})))

    (problem,) = parameters_differ_after_step(facts)

    assert problem.message == (
        "1 of 2 parameters differ across the ranks after step 0, though they were equal before "
        "it: 'b'."
    )


def test_gradients_that_never_come_are_told_apart_by_who_lacks_them():
    on_all = ranks(trained(unused=("b",)), trained(unused=("b",)))
    on_one = ranks(trained(), trained(unused=("b",)))

    (everywhere,) = wrapper_waits_for_unused_parameters(on_all)
    (somewhere,) = wrapper_waits_for_unused_parameters(on_one)

    assert everywhere.where == "DistributedDataParallel raises at the second forward"
    assert somewhere.where == ("rank 0 would wait in backward for gradients that others never send")
