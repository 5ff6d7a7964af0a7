import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.backward.exploding_gradient import exploding_gradient
from tdebug.pipeline_checks.facts import CallFacts, GradientFacts, StepFacts, TrainingFacts
from tdebug.pipeline_checks.facts.calls import LossCall
from tdebug.pipeline_checks.facts.step import StepCall
from tdebug.pipeline_checks.facts.tensors import TensorFact

OUTPUT = TensorFact((4, 1), "float32", "cpu")


def found(*norms, style="pair", step=None, calls=None, **more):
    gradients = GradientFacts(len(norms), totals=tuple(enumerate(norms)), **more)
    training = TrainingFacts(style, batches=(0, 1, 2), indices=((0, 1), (2, 3), (4, 5)))
    return list(exploding_gradient(gradients, training, step, calls))


def loss_call(function="mse_loss", high=3.0, **options):
    target = TensorFact((4, 1), "float32", "cpu", min=-1.0, max=high)
    return CallFacts((LossCall(0, function, OUTPUT, target, options=options),))


def test_a_large_gradient_in_every_batch_is_told():
    (problem,) = found(2e4, 3e4)

    assert "has a norm of 20000 at the start, above 1000 in every batch." in problem.message


@pytest.mark.parametrize(
    ("calls", "cause"),
    [
        (loss_call(high=3e5), "the targets of mse_loss run from -1 to 300000"),
        (loss_call(reduction="sum"), "mse_loss adds up the losses of the whole batch"),
    ],
)
def test_the_scale_of_targets_and_a_sum_are_named(calls, cause):
    (problem,) = found(2e4, 3e4, calls=calls)

    assert cause in problem.message


def test_one_batch_far_above_the_others_is_told_with_its_samples():
    (problem,) = found(1.0, 1.2, 300.0, 0.9, 1.1)

    assert "of batch 2 has a norm of 300, 272.7 times the median" in problem.message
    assert "samples 4" in problem.where


@pytest.mark.parametrize(
    "norms", [(), (5.0, 481.0), (2e4, 5.0), (1.0, 300.0), (float("inf"), 1.0), (0.0, 0.0)]
)
def test_other_gradients_are_fine(norms):
    assert not found(*norms)


def test_where_gradients_are_clipped_their_size_is_no_matter():
    clips = StepFacts(calls=((StepCall("backward"), StepCall("clip"), StepCall("step")),))

    assert not found(2e4, style="train_step", step=clips)
    assert not found(2e4, style="trainer")


def test_scaled_gradients_are_undecided():
    with pytest.raises(Undecided):
        found(2e4, is_scaled=True)
