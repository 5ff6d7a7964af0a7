from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.backward.loss_is_maximised import loss_is_maximised
from tdebug.pipeline_checks.facts import CallFacts, ModelFacts, OptimizerFacts, TrainingFacts
from tdebug.pipeline_checks.facts.calls import LossCall
from tdebug.pipeline_checks.facts.model import ParameterFact
from tdebug.pipeline_checks.facts.optimizer import GroupFact, OptimizerFact
from tdebug.pipeline_checks.facts.tensors import TensorFact
from tdebug.pipeline_checks.report import Severity

OUTPUT = TensorFact((4, 2), "float32", "cpu", requires_grad=True)
TARGET = TensorFact((4,), "int64", "cpu", field="[1]")
MINUS = LossCall(
    0, "cross_entropy", OUTPUT, TARGET, num_classes=2, value=0.7, weight=-1.0, total=-0.7
)
ADAM = OptimizerFacts((OptimizerFact("Adam", (GroupFact(0.1),)),))
UPWARD = OptimizerFacts((OptimizerFact("SGD", (GroupFact(0.1, {"maximize": 1.0}),)),))


def model(*frozen):
    names = ("enc.weight", "head.weight")
    return ModelFacts(
        "Net",
        parameters=tuple(
            ParameterFact(n, (2, 2), "float32", "cpu", n not in frozen) for n in names
        ),
    )


def found(*calls, optimizers=ADAM, net=None):
    facts = CallFacts(calls, num_batches=2)
    return list(loss_is_maximised(facts, TrainingFacts("pair"), net or model(), optimizers))


def test_minus_a_loss_is_found():
    (problem,) = found(MINUS, replace(MINUS, batch=1, value=0.6, total=-0.6))

    assert "the loss that goes back, -0.7, is minus cross_entropy" in problem.message
    assert problem.severity is None
    assert problem.hint == "take the minus away."


def test_a_small_penalty_beside_it_hides_nothing():
    assert found(replace(MINUS, total=-0.66))


def test_a_negative_factor_is_told():
    (problem,) = found(replace(MINUS, weight=-0.5, total=-0.35))

    assert "is -0.5 times cross_entropy" in problem.message


def test_maximising_a_loss_as_it_is_is_found():
    (problem,) = found(replace(MINUS, weight=1.0, total=0.7), optimizers=UPWARD)

    assert "the optimizer maximises the loss" in problem.message
    assert "maximize=True" in problem.hint


@pytest.mark.parametrize(
    "calls",
    [
        (replace(MINUS, weight=1.0, total=0.7),),
        (MINUS, replace(MINUS, weight=1.0, total=0.7)),  # an inner loop against an outer one
        (MINUS, replace(MINUS, batch=1, weight=-0.4, total=-0.28)),  # a reward
        (replace(MINUS, total=1.1),),  # one term of several
        (replace(MINUS, total=-0.3),),
    ],
)
def test_other_losses_are_fine(calls):
    assert not found(*calls)


def test_minus_a_loss_that_is_maximised_is_fine():
    assert not found(MINUS, optimizers=UPWARD)


@pytest.mark.parametrize(
    ("call", "net", "optimizers"),
    [
        (replace(MINUS, value=0.1, total=-0.1), None, ADAM),  # a good model may unlearn
        (MINUS, model("enc.weight"), ADAM),  # what is frozen may be a victim
        (MINUS, None, replace(ADAM, missing=("enc.weight",))),
        (
            replace(MINUS, function="mse_loss", target=replace(TARGET, field=None)),
            None,
            ADAM,
        ),
    ],
)
def test_what_may_be_meant_is_only_mentioned(call, net, optimizers):
    (problem,) = found(call, net=net, optimizers=optimizers)

    assert problem.severity is Severity.INFO
    assert "an adversary" in problem.message


def test_minus_a_regression_loss_of_a_field_is_found():
    (problem,) = found(replace(MINUS, function="mse_loss", value=9.0, total=-9.0))

    assert problem.severity is None


@pytest.mark.parametrize(
    "call",
    [
        replace(MINUS, function="kl_div"),
        replace(MINUS, weight=None),
        replace(MINUS, value=None),
        replace(MINUS, value=float("nan"), total=float("nan")),
    ],
)
def test_what_was_not_followed_is_undecided(call):
    with pytest.raises(Undecided):
        found(call)


def test_several_optimizers_are_undecided():
    two = OptimizerFacts((OptimizerFact("Adam"), OptimizerFact("Adam")))
    with pytest.raises(Undecided):
        found(MINUS, optimizers=two)


def test_a_part_that_is_none_of_the_models_may_be_a_victim():
    facts = CallFacts((MINUS,), num_batches=1, has_foreign_parameters=True)
    (problem,) = loss_is_maximised(facts, TrainingFacts("pair"), model(), ADAM)
    assert problem.severity is Severity.INFO
