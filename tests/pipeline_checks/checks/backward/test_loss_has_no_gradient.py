from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks.backward.loss_has_no_gradient import loss_has_no_gradient
from tdebug.pipeline_checks.facts import ExceptionFact, GradientFacts, GraphFacts, ModelFacts
from tdebug.pipeline_checks.facts.model import ParameterFact
from tdebug.pipeline_checks.facts.training import FailureFact, GradOff
from tdebug.pipeline_checks.report import Location, Stage

MODEL = ModelFacts(
    "Lm",
    parameters=tuple(
        ParameterFact(name, (2, 2), "float32", "cpu", requires_grad)
        for name, requires_grad in [("emb", False), ("block.a", True), ("block.b", True)]
    ),
)


def only(training, graph=None, model=MODEL, gradients=None):
    (problem,) = loss_has_no_gradient(training, graph or GraphFacts(), model, gradients)
    return problem


def test_reentrant_checkpointing_over_frozen_inputs_is_told(with_loss):
    off = GradOff("block", "checkpoint", 2, Location("lm.py", 9))
    problem = only(with_loss(), GraphFacts(grad_off=(off,)))
    assert "re-entrant checkpointing of 'block'" in problem.message
    assert "2 parameters are trainable" in problem.message
    assert "use_reentrant=False" in problem.hint
    assert problem.location.line == 9


def test_no_grad_around_the_model_is_told(with_loss):
    problem = only(with_loss(), GraphFacts(grad_off=(GradOff("", "no_grad", 2),)))
    assert "the model ran under no_grad" in problem.message


@pytest.mark.parametrize(
    ("cut", "words"),
    [("item", ".item() makes a plain number"), ("detach", ".detach()"), ("tensor", "torch.tensor")],
)
def test_what_cut_the_loss_off_is_named(with_loss, cut, words):
    graph = GraphFacts(detached_by=cut, detached_at=Location("train.py", 7))
    problem = only(with_loss(), graph)
    assert words in problem.message
    assert problem.location.line == 7


def test_a_plain_number_is_found(with_loss):
    problem = only(with_loss("compute_loss", type="float", shape=None))
    assert "plain float" in problem.message
    assert "not loss.item()" in problem.hint


def test_an_unknown_cut_says_how_many_parameters_wait(with_loss):
    assert "2 parameters require a gradient" in only(with_loss()).message


def test_a_loss_with_a_gradient_is_fine(with_loss):
    training = with_loss(requires_grad=True)
    assert not list(loss_has_no_gradient(training, GraphFacts(), MODEL, None))


def test_what_a_loop_of_the_user_s_own_returns_may_be_detached(with_loss):
    gradients = GradientFacts(num_batches=1)
    training = with_loss("train_step")
    assert not list(loss_has_no_gradient(training, GraphFacts(), MODEL, gradients))


def test_a_missing_loss_is_left_to_its_own_check(with_loss):
    training = with_loss(type="NoneType", shape=None, value=None)
    assert not list(loss_has_no_gradient(training, GraphFacts(), MODEL, None))


def test_a_loss_made_anew_reaches_no_parameter(with_loss):
    gradients = GradientFacts(num_batches=3, never=("emb", "head"))
    training = with_loss(requires_grad=True)
    (problem,) = loss_has_no_gradient(training, GraphFacts(), MODEL, gradients)
    assert "backward reaches none of the 2 trainable parameters in 3 batches" in problem.message
    assert "torch.stack(losses).mean()" in problem.hint


def test_a_loop_that_fails_in_a_later_backward_returned_its_loss_only_to_be_shown(with_loss):
    training = with_loss("train_step")
    failure = FailureFact(Stage.BACKWARD, 1, ExceptionFact("RuntimeError", "freed"))
    failing = replace(training, failures=(failure,))
    gradients = GradientFacts(num_batches=1, reached=("emb",))
    assert not list(loss_has_no_gradient(failing, GraphFacts(), MODEL, gradients))
