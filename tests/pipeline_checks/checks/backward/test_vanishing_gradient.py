import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.backward.vanishing_gradient import vanishing_gradient
from tdebug.pipeline_checks.facts import GradientFacts, ModelFacts, RepeatFacts
from tdebug.pipeline_checks.facts.model import ParameterFact

MODEL = ModelFacts(
    "Net",
    parameters=tuple(
        ParameterFact(name, shape, "float32", "cpu", requires_grad=True)
        for name, shape in [
            ("0.weight", (8, 8)),
            ("0.bias", (8,)),
            ("attn.k_proj.weight", (8, 8)),
            ("9.weight", (2, 8)),
        ]
    ),
)


def test_gradients_that_are_all_zero_are_found():
    gradients = GradientFacts(3, ("0.weight", "9.weight"), zero=("9.weight", "0.weight"))
    (problem,) = vanishing_gradient(gradients, MODEL, None)
    assert "exactly 0 in all 3 batches" in problem.message


def test_a_gradient_that_fades_away_is_found():
    gradients = GradientFacts(3, ("0.weight",), norms={"0.weight": 1e-12, "9.weight": 1.0})
    (problem,) = vanishing_gradient(gradients, MODEL, None)
    assert "0.weight get at most 1e-12" in problem.message


@pytest.mark.parametrize("name", ["0.bias", "attn.k_proj.weight"])
def test_gradients_that_are_small_in_theory_are_fine(name):
    gradients = GradientFacts(3, (name,), norms={name: 1e-12, "9.weight": 1.0})
    assert not list(vanishing_gradient(gradients, MODEL, None))


def test_some_zero_gradients_are_fine():
    gradients = GradientFacts(3, ("0.weight", "9.weight"), zero=("0.weight",))
    assert not list(vanishing_gradient(gradients, MODEL, None))


def test_two_batches_are_too_few():
    with pytest.raises(Undecided):
        list(vanishing_gradient(GradientFacts(2, ("0.weight",), zero=("0.weight",)), MODEL, None))


def test_a_layer_that_no_step_wakes_up_is_found():
    gradients = GradientFacts(3, ("0.weight", "9.weight"), zero=("0.weight", "0.bias"))
    repeat = RepeatFacts((1.0, 0.9, 0.8, 0.7, 0.6), still_zero=("0.bias", "0.weight"))
    (problem,) = vanishing_gradient(gradients, MODEL, repeat)
    assert "the gradient of 0.weight is exactly 0 in all 3 batches" in problem.message
    assert "in 4 further steps" in problem.message


def test_what_waits_for_a_layer_that_starts_at_zero_is_fine():
    gradients = GradientFacts(3, ("0.weight", "9.weight"), zero=("0.weight",))
    repeat = RepeatFacts((1.0, 0.9, 0.8, 0.7, 0.6))
    assert not list(vanishing_gradient(gradients, MODEL, repeat))
    keys = RepeatFacts((1.0, 0.9, 0.8, 0.7, 0.6), still_zero=("attn.k_proj.weight",))
    assert not list(vanishing_gradient(gradients, MODEL, keys))
