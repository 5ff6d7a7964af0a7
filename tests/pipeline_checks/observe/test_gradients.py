import math

import pytest
import torch
from torch import nn

from tdebug.pipeline_checks.observe.gradients import GradientObserver
from tdebug.pipeline_checks.observe.modules import ModuleWatch


def facts_of(model, code, *grads):
    """The facts after one look for each dict of gradients by name."""
    observer = GradientObserver(model)
    for batch, by_name in enumerate(grads):
        for name, parameter in model.named_parameters():
            parameter.grad = by_name.get(name)
        observer.look(batch)
    return observer, observer.facts(ModuleWatch(model, code))


@pytest.fixture
def model():
    return nn.Linear(2, 2)


def test_norms_are_the_largest_over_the_batches(model, code):
    _, facts = facts_of(
        model, code, {"weight": torch.full((2, 2), 2.0)}, {"weight": torch.ones(2, 2)}
    )

    assert facts.norms == {"weight": pytest.approx(4.0)}
    assert (facts.num_batches, facts.reached, facts.never) == (2, ("weight",), ("bias",))


def test_a_gradient_of_zero_in_every_batch_is_told(model, code):
    zero, one = torch.zeros(2, 2), torch.ones(2, 2)

    always, facts = facts_of(model, code, {"weight": zero, "bias": torch.zeros(2)})
    sometimes, other = facts_of(model, code, {"weight": zero}, {"weight": one})

    assert (facts.zero, other.zero) == (("weight", "bias"), ())
    assert (always.is_nonzero("weight"), sometimes.is_nonzero("weight")) == (False, True)


@pytest.mark.parametrize(
    ("value", "kind"), [(math.nan, "nan"), (math.inf, "inf"), (-math.inf, "inf")]
)
def test_a_gradient_that_is_not_finite_is_told_with_its_first_batch(model, code, value, kind):
    bad = torch.ones(2, 2)
    bad[0, 1] = value

    observer, facts = facts_of(
        model, code, {"weight": torch.ones(2, 2)}, {"weight": bad}, {"weight": bad}
    )

    [found] = facts.bad
    assert (found.name, found.kind, found.batch) == ("weight", kind, 1)
    assert (found.num_values, found.numel) == (1, 4)
    assert observer.first_bad_batch == 1
    assert facts.norms["weight"] == pytest.approx(2.0)


def test_a_norm_that_overflows_over_finite_values_is_no_bad_gradient(code):
    model = nn.Linear(2, 2).double()
    huge = torch.full((2, 2), 1e200, dtype=torch.float64)

    observer, facts = facts_of(model, code, {"weight": huge})

    assert (facts.bad, observer.first_bad_batch) == ((), None)
    assert observer.is_nonzero("weight")


def test_half_precision_gradients_do_not_overflow_in_the_norm(code):
    model = nn.Linear(64, 64).half()

    _, facts = facts_of(model, code, {"weight": torch.full((64, 64), 6e4, dtype=torch.half)})

    assert facts.bad == ()
    assert facts.norms["weight"] == pytest.approx(64 * 6e4, rel=1e-2)


def test_tiny_gradients_are_not_zero(code):
    model = nn.Linear(2, 2).double()

    observer, _ = facts_of(model, code, {"weight": torch.full((2, 2), 1e-200, dtype=torch.float64)})

    assert observer.is_nonzero("weight")


def test_sparse_gradients_are_looked_at(code):
    model = nn.Embedding(10, 2, sparse=True)
    model(torch.tensor([1, 1, 3])).sum().backward()
    observer = GradientObserver(model)

    observer.look(0)

    facts = observer.facts(ModuleWatch(model, code))
    assert facts.norms["weight"] == pytest.approx(math.sqrt(2 * 4 + 2))
    assert facts.bad == ()


def test_complex_gradients_are_looked_at(code):
    class Phase(nn.Module):
        def __init__(self):
            super().__init__()
            self.angle = nn.Parameter(torch.ones(2, dtype=torch.complex64))

    bad = torch.tensor([1 + 1j, complex(math.nan, 0)])

    _, good = facts_of(Phase(), code, {"angle": torch.tensor([3 + 4j, 0j])})
    _, facts = facts_of(Phase(), code, {"angle": bad})

    assert good.norms["angle"] == pytest.approx(5.0)
    assert [(b.name, b.kind) for b in facts.bad] == [("angle", "nan")]


def test_no_gradient_at_all_is_a_batch_too(model, code):
    _, facts = facts_of(model, code, {})

    assert (facts.num_batches, facts.never) == (1, ("weight", "bias"))


def test_frozen_parameters_are_not_missed(model, code):
    model.bias.requires_grad_(requires_grad=False)

    _, facts = facts_of(model, code, {"weight": torch.ones(2, 2)})

    assert facts.never == ()


def test_modules_that_never_ran_are_told(code):
    model = nn.ModuleDict({"used": nn.Linear(2, 2), "unused": nn.Linear(2, 2)})
    watch = ModuleWatch(model, code)
    with watch:
        model["used"](torch.ones(2)).sum().backward()
    observer = GradientObserver(model)

    observer.look(0)

    assert observer.facts(watch).never_called == ("unused",)


def test_the_norm_over_all_parameters_is_kept_for_each_batch(code):
    model = nn.Linear(2, 1)
    observer = GradientObserver(model)
    for batch, scale in enumerate([3.0, 4.0]):
        model.weight.grad = torch.tensor([[scale, 0.0]])
        model.bias.grad = torch.tensor([0.0])
        observer.look(batch)
        model.bias.grad = torch.tensor([1.0])
        observer.look(batch)

    totals = observer.facts(ModuleWatch(model, code)).totals
    assert totals == ((0, pytest.approx(10**0.5)), (1, pytest.approx(17**0.5)))
