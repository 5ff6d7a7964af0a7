from tdebug.pipeline_checks.checks.step.optimizer_holds_foreign_parameters import (
    optimizer_holds_foreign_parameters,
)
from tdebug.pipeline_checks.report import Stage

SHAPES = {"body.weight": (8, 6), "head.weight": (10, 8)}
NAMES = tuple(SHAPES)


def found(model, held):
    return list(optimizer_holds_foreign_parameters(held, model(*NAMES, shapes=SHAPES)))


def test_an_optimizer_built_before_the_head_was_replaced_is_found(model, optimizers):
    held = optimizers(num_foreign=1, shapes=[(1000, 8)], missing=("head.weight",), num_trainable=2)
    (problem,) = found(model, held)
    assert "SGD holds 1 tensor that are not the model's (of 4; shapes [1000, 8])" in problem.message
    assert "1 of 2 parameters" in problem.message
    assert "head.weight" in problem.message
    assert problem.stage is Stage.LOAD


def test_an_optimizer_of_a_copy_is_found(model, optimizers):
    held = optimizers(num_foreign=2, shapes=[(8, 6), (10, 8)], missing=NAMES, num_trainable=2)
    assert found(model, held)


def test_tensors_beside_the_model_are_fine(model, optimizers):
    assert not found(model, optimizers(num_foreign=2, shapes=[(1,), (1,)]))


def test_loss_weights_beside_an_untrained_part_are_fine(model, optimizers):
    held = optimizers(num_foreign=1, shapes=[(2,)], missing=("body.weight",), num_trainable=2)
    assert not found(model, held)
