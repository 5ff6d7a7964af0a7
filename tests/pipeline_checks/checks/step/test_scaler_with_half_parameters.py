from tdebug.pipeline_checks.checks.step.scaler_with_half_parameters import (
    scaler_with_half_parameters,
)


def test_float16_parameters_under_a_scaler_are_found(model, optimizers):
    held = optimizers(has_scaler=True)
    (problem,) = scaler_with_half_parameters(held, model("a", "b", dtype="float16"))
    assert "2 trainable parameters are float16" in problem.message
    assert "torch.autocast" in problem.hint


def test_float32_parameters_are_fine(model, optimizers):
    assert not list(scaler_with_half_parameters(optimizers(has_scaler=True), model("a", "b")))


def test_float16_parameters_without_a_scaler_are_fine(model, optimizers):
    assert not list(scaler_with_half_parameters(optimizers(), model("a", dtype="float16")))


def test_a_frozen_part_in_float16_is_fine(model, optimizers):
    held = optimizers(has_scaler=True)
    assert not list(scaler_with_half_parameters(held, model("a", frozen=("a",), dtype="float16")))
