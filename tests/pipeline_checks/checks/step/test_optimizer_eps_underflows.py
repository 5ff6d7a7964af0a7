import pytest

from tdebug.pipeline_checks.checks.step.optimizer_eps_underflows import optimizer_eps_underflows


def adam(optimizers, kind="Adam", dtype="float16", **numbers):
    return optimizers(kind, 1e-3, dtypes=(dtype,), numbers={"eps": 1e-8, **numbers})


@pytest.mark.parametrize("kind", ["Adam", "AdamW", "RMSprop", "NAdam"])
def test_the_usual_eps_over_float16_is_found(optimizers, kind):
    (problem,) = optimizer_eps_underflows(adam(optimizers, kind))
    assert f"the eps of {kind}, 1e-08, rounds to 0 in float16" in problem.message
    assert "eps=1e-4" in problem.hint


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_other_dtypes_are_fine(optimizers, dtype):
    assert not list(optimizer_eps_underflows(adam(optimizers, dtype=dtype)))


@pytest.mark.parametrize("numbers", [{"eps": 1e-4}, {"eps": 6e-8}, {"fused": 1.0}])
def test_a_larger_eps_or_a_fused_step_is_fine(optimizers, numbers):
    assert not list(optimizer_eps_underflows(adam(optimizers, **numbers)))


def test_an_optimizer_of_another_library_is_left_alone(optimizers):
    assert not list(optimizer_eps_underflows(adam(optimizers, "AdamW8bit")))
