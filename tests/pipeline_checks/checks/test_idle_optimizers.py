"""Loops with two optimizers, `d` and `g`; a large letter is a step that found gradients."""

import pytest

from tdebug.pipeline_checks.checks.idle_optimizers import idle_optimizers
from tdebug.pipeline_checks.facts import GradientFacts, OptimizerFacts, StepFacts
from tdebug.pipeline_checks.facts.optimizer import OptimizerFact
from tdebug.pipeline_checks.facts.step import StepCall
from tdebug.pipeline_checks.report import Location

CALLS = {
    "b": ("backward", None, None),
    "d": ("step", 0, False),
    "D": ("step", 0, True),
    "g": ("step", 1, False),
    "G": ("step", 1, True),
    "y": ("zero_grad", 0, None),
    "z": ("zero_grad", 1, None),
}
OPTIMIZERS = OptimizerFacts(
    (OptimizerFact("Adam", names=("D.weight",)), OptimizerFact("SGD", names=("G.weight",)))
)


def idle(*batches, reached=("D.weight",), optimizers=OPTIMIZERS):
    calls = tuple(
        tuple(
            StepCall(call, subject, Location("train.py", line), had)
            for line, letter in enumerate(letters, 10)
            for call, subject, had in [CALLS[letter]]
        )
        for letters in batches
    )
    return list(idle_optimizers(StepFacts(calls=calls), optimizers, GradientFacts(reached=reached)))


def test_a_backward_of_its_own_that_does_not_reach_it_is_sure():
    (one,) = idle("ybDzbg", "ybDzbg")

    assert (one.number, one.names, one.num_steps) == (1, ("G.weight",), 2)
    assert (one.step.location.line, one.backward.location.line) == (15, 14)


def test_a_backward_shared_with_others_is_known_and_not_sure():
    (one,) = idle("bDg", "bDg", "bgD")

    assert not one.is_alone
    assert one.backward.location.line == 10


@pytest.mark.parametrize(
    "batches",
    [
        ("bDg", "bDg"),  # too few batches
        ("bD", "bD", "bDg", "bDg"),  # not in each of them: a later phase may come
        ("ybDzbG", "ybDzbg"),  # it had gradients once
        ("ybDbzg", "ybDbzg"),  # zero-grad-after-backward says so
        ("ybDzbg", "ybD", "ybD"),  # only once
        ("gbD", "gbD", "gbD"),  # step-before-backward says so
    ],
)
def test_other_loops_are_no_matter(batches):
    assert not idle(*batches)


def test_gradients_that_were_there_at_any_time_are_no_matter():
    assert not idle("ybDzbg", "ybDzbg", reached=("D.weight", "G.weight"))


@pytest.mark.parametrize(
    "optimizers",
    [
        None,
        OptimizerFacts((OptimizerFact("Adam"),)),
        OptimizerFacts((OptimizerFact("Adam"), OptimizerFact("SGD"))),
    ],
)
def test_one_optimizer_or_tensors_that_are_not_the_model_s_are_no_matter(optimizers):
    assert not idle("ybDzbg", "ybDzbg", optimizers=optimizers)
