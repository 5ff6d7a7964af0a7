import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.backward.parameters_without_gradient import (
    parameters_without_gradient,
)
from tdebug.pipeline_checks.facts import (
    GradientFacts,
    GraphFacts,
    OptimizerFacts,
    StepFacts,
    TrainingFacts,
)
from tdebug.pipeline_checks.facts.optimizer import OptimizerFact
from tdebug.pipeline_checks.facts.step import StepCall
from tdebug.pipeline_checks.facts.training import GradOff
from tdebug.pipeline_checks.report import Location, Severity

AUX = ("aux_head.weight", "aux_head.bias", "old_query.weight")


def never(*names, called=()):
    return GradientFacts(
        num_batches=4,
        reached=("enc.weight",),
        never=names,
        never_called=tuple({n.rpartition(".")[0]: 0 for n in names if n not in called}),
    )


def found(gradients, graph=None, optimizers=None, training=None):
    return list(parameters_without_gradient(gradients, graph or GraphFacts(), optimizers, training))


def test_unused_layers_are_grouped_by_module():
    (problem,) = found(never(*AUX))
    assert "3 trainable parameters got no gradient in 4 batches" in problem.message
    assert "aux_head (weight and bias) and old_query (weight)" in problem.message
    assert "never called: aux_head and old_query" in problem.message
    assert problem.severity is None


def test_a_detach_in_the_way_is_named():
    at = Location("net.py", 14)
    graph = GraphFacts(detached_by="detach", detached_at=at, detached_parameters=("a.weight",))
    gradients = GradientFacts(num_batches=4, reached=("b.weight",), never=("a.weight",))
    (problem,) = found(gradients, graph)
    assert ".detach() at net.py:14 cuts them off" in problem.message
    assert problem.location.line == 14


def test_a_detach_of_something_else_is_not_blamed():
    at = Location("net.py", 14)
    graph = GraphFacts(detached_by="detach", detached_at=at, detached_parameters=("b.weight",))
    gradients = GradientFacts(num_batches=4, reached=("b.weight",), never=("a.weight",))
    (problem,) = found(gradients, graph)
    assert "detach" not in problem.message
    assert problem.location is None


def test_every_parameter_reached_is_fine():
    assert not found(never())


def test_no_backward_at_all_is_undecided():
    with pytest.raises(Undecided):
        found(GradientFacts())


@pytest.mark.parametrize(
    "name", ["bert.pooler.dense.weight", "vit.embeddings.mask_token", "moe.experts.3.w1.weight"]
)
def test_parts_that_only_some_tasks_use_are_only_mentioned(name):
    (problem,) = found(never(name))
    assert problem.severity is Severity.INFO


def test_parameters_that_no_optimizer_holds_are_only_mentioned():
    optimizers = OptimizerFacts((OptimizerFact("Adam"),), missing=AUX)
    (problem,) = found(never(*AUX), optimizers=optimizers)
    assert problem.severity is Severity.INFO


def test_optimizers_that_take_turns_are_only_mentioned():
    optimizers = OptimizerFacts((OptimizerFact("Adam"), OptimizerFact("Adam")))
    (problem,) = found(never(*AUX), optimizers=optimizers, training=TrainingFacts("train_step"))
    assert problem.severity is Severity.INFO


def test_a_checkpoint_without_inputs_that_require_gradients_is_an_error():
    graph = GraphFacts(grad_off=(GradOff("aux_head", "checkpoint", 2),))
    first, second = found(never(*AUX), graph)
    assert first.severity is Severity.ERROR
    assert "re-entrant" in first.message
    assert "old_query" in second.message


@pytest.mark.parametrize(("missing", "severity"), [((), None), (AUX, Severity.INFO)])
def test_no_grad_over_what_the_optimizer_holds_is_a_warning(missing, severity):
    graph = GraphFacts(grad_off=(GradOff("aux_head", "no_grad", 2),))
    optimizers = OptimizerFacts((OptimizerFact("Adam"),), missing=missing)
    (problem,) = found(never(*AUX[:2]), graph, optimizers)
    assert problem.severity is severity


GAN = OptimizerFacts((OptimizerFact("Adam", names=("D.weight",)), OptimizerFact("SGD", names=AUX)))


def two_steps(*, is_alone, cut=None):
    own = (StepCall("backward", None, Location("train.py", 38), cut=cut, cut_by="detach"),)
    batch = (
        StepCall("backward"),
        StepCall("step", 0, had_gradients=True),
        *(own if is_alone else ()),
        StepCall("step", 1, Location("train.py", 39), had_gradients=False),
    )
    return StepFacts(calls=(batch, batch, batch))


def test_an_optimizer_whose_own_loss_does_not_reach_it_is_an_error():
    step = two_steps(is_alone=True, cut=Location("train.py", 37))
    (problem,) = parameters_without_gradient(
        never(*AUX), GraphFacts(), GAN, TrainingFacts("train_step"), step
    )
    assert problem.message.startswith("optimizer 1 (SGD) stepped 3 times, but none of its 3 param")
    assert ".detach() at train.py:37 cuts them off" in problem.message
    assert (problem.severity, problem.location.line) == (Severity.ERROR, 37)


def test_an_optimizer_that_shares_a_loss_that_does_not_reach_it_is_a_warning():
    (problem,) = parameters_without_gradient(
        never(*AUX), GraphFacts(), GAN, TrainingFacts("train_step"), two_steps(is_alone=False)
    )
    assert "the losses that go back do not depend on them" in problem.message
    assert (problem.severity, problem.location.line) == (None, 39)


def test_no_grad_over_all_that_an_optimizer_holds_is_an_error():
    graph = GraphFacts(grad_off=(GradOff("aux_head", "no_grad", 2),))
    first, _ = parameters_without_gradient(
        never(*AUX), graph, GAN, TrainingFacts("train_step"), two_steps(is_alone=True)
    )
    assert first.severity is Severity.ERROR
