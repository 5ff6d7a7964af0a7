"""The factor of a loss in what backward starts from."""

import pytest
import torch
from torch import nn

from tdebug.pipeline_checks.facts.calls import LossCall
from tdebug.pipeline_checks.facts.tensors import TensorFact
from tdebug.pipeline_checks.observe.loss_weights import result_of, weigh

FACT = TensorFact((4,), "float32", "cpu")


@pytest.fixture
def model():
    return nn.Linear(2, 1)


@pytest.fixture
def loss(model):
    return nn.functional.mse_loss(model(torch.ones(4, 2)), torch.zeros(4, 1))


def weights(losses, *roots):
    calls = [LossCall(0, "mse_loss", FACT, FACT) for _ in losses]
    results = [found for number, loss in enumerate(losses) for found in result_of(number, loss)]
    weigh(calls, results, list(roots))
    return [call.weight for call in calls]


@pytest.mark.parametrize(
    ("change", "weight"),
    [
        (lambda loss: loss, 1.0),
        (lambda loss: -loss, -1.0),
        (lambda loss: 0.5 * loss + 3, 0.5),
        (lambda loss: (1 - loss).reshape(1), -1.0),
        (lambda _: torch.ones((), requires_grad=True) * 2, None),
        (lambda loss: torch.stack([loss, loss]), None),
        (lambda loss: loss.detach(), None),
    ],
)
def test_the_factor_is_the_derivative(loss, change, weight):
    assert weights([loss], change(loss)) == [weight]


def test_several_losses_and_several_roots_are_added_up(loss):
    other = loss.square()

    found = weights([loss, other], loss - other, loss)

    assert found == pytest.approx([2 - 2 * float(loss.detach()), -1.0])


def test_the_graph_can_still_go_back(loss, model):
    weights([loss], -loss)
    (-loss).backward()

    assert model.weight.grad is not None


def test_a_loss_that_was_changed_in_place_is_not_known(loss):
    results = result_of(0, loss)
    loss *= -1
    calls = [LossCall(0, "mse_loss", FACT, FACT)]
    weigh(calls, results, [loss])

    assert calls[0].weight is None


def test_a_loss_without_a_gradient_or_of_many_numbers_is_left_out(loss):
    assert not result_of(0, loss.detach())
    assert not result_of(0, torch.stack([loss, loss]))
    assert not result_of(0, 1.0)


def test_a_graph_that_is_used_up_is_not_known(loss):
    total = loss.exp() * 2
    total.backward()

    assert weights([loss], total) == [None]
