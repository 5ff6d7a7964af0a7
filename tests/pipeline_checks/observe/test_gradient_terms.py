"""Gradients taken without a graph: those that a term of the loss hangs on, and all the others."""

import pytest
import torch
from torch import nn
from torch.func import functional_call

from tdebug.pipeline_checks.observe.batch_context import BatchContext
from tdebug.pipeline_checks.observe.calls import CallRecord, CallWatch
from tdebug.pipeline_checks.observe.modules import ModuleWatch

X = torch.linspace(-1, 1, 12).reshape(4, 3)


def slope(model, x, **options):
    return torch.autograd.grad(model(x).sum(), x, **options)[0]


def penalty(model, x, **options):
    points = x.clone().requires_grad_()
    return (slope(model, points, **options).norm(dim=1) - 1).square().mean()


def critic_with_penalty(model, x):
    return model(x).mean() + 10 * penalty(model, x)


def equation_with_boundary(model, x):
    x = x.clone().requires_grad_()
    loss = (slope(model, x, retain_graph=True) - x.cos()).square().mean()
    loss = loss + nn.functional.mse_loss(model(x), torch.zeros(4, 1))
    return loss * 0.5


def forces_and_energy(model, x):
    x = x.clone().requires_grad_()
    energy = model(x)
    (gradient,) = torch.autograd.grad([energy.sum()], [x], retain_graph=True)
    total = nn.functional.l1_loss(energy, torch.zeros(4, 1))
    total += nn.functional.mse_loss(-gradient, torch.zeros(4, 3))
    return total


def with_graph(model, x):
    return model(x).mean() + penalty(model, x, create_graph=True)


def adversarial(model, x):
    x = x.clone().requires_grad_()
    moved = x + 0.1 * slope(model, x).sign()
    return model(x).square().mean() + model(moved).square().mean()


def weighted_by_gradients(model, x):
    first, second = model(x).square().mean(), model(x).abs().mean()
    last = model[-1].weight
    norms = [torch.autograd.grad(t, last, retain_graph=True)[0].norm() for t in (first, second)]
    return first + second * (norms[0] / (norms[1] + 1e-4))


def first_order_meta_learning(model, x):
    weights = dict(model.named_parameters())
    loss = functional_call(model, weights, (x,)).square().mean()
    gradients = torch.autograd.grad(loss, list(weights.values()))
    fast = {n: w - 0.1 * g for (n, w), g in zip(weights.items(), gradients, strict=True)}
    return functional_call(model, fast, (x,)).square().mean() + model(x).mean()


def first_order_with_a_penalty(model, x):
    weights = dict(model.named_parameters())
    names = [name for name in weights if name != "0.bias"]
    parts = [weights[name] for name in names]
    gradients = torch.autograd.grad(model(x).square().mean(), parts)
    fast = {n: w - 0.1 * g for n, w, g in zip(names, parts, gradients, strict=True)}
    fast["0.bias"] = weights["0.bias"].detach()
    return functional_call(model, fast, (x,)).square().mean() + weights["0.bias"].square().mean()


def one_weight_stepped_by_hand(model, x):
    scale = model[-1].bias.sum()
    (gradient,) = torch.autograd.grad((scale * x).square().sum(), scale, retain_graph=True)
    return (x * (scale - 0.1 * gradient) - 1).square().mean()


def only_told(model, x):
    loss = model(x).mean()
    size = penalty(model, x)
    with torch.no_grad():
        print(float(loss + size))
    return loss + size.detach()


def sum_that_is_not_the_loss(model, x):
    loss = model(x).mean()
    print(float((loss + penalty(model, x)).detach()))
    return loss


@pytest.fixture
def found(code):
    def find(loss_of):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        record, context = CallRecord(), BatchContext(0, (), (X,))
        modules = ModuleWatch(model, code)
        with modules, CallWatch(context, modules, record):
            loss = loss_of(model, X)
        record.gradients.settle([loss])
        return record.gradients.found

    return find


@pytest.mark.parametrize(
    "loss_of", [critic_with_penalty, equation_with_boundary, forces_and_energy]
)
def test_a_term_that_trains_nothing_is_found_with_its_lines(found, loss_of):
    term = found(loss_of)

    assert "autograd.grad(" in term.taken_at.code
    assert "+" in term.added_at.code


@pytest.mark.parametrize(
    "loss_of",
    [
        with_graph,
        adversarial,
        weighted_by_gradients,
        first_order_meta_learning,
        first_order_with_a_penalty,
        one_weight_stepped_by_hand,
        only_told,
        sum_that_is_not_the_loss,
    ],
)
def test_gradients_that_are_meant_as_numbers_are_no_finding(found, loss_of):
    assert found(loss_of) is None
